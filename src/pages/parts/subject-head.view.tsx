// The head of a card about one thing: its state, its time, its name and its acts.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { classes } from './drawn.ts'

type Props = {
  badge: ComponentChildren
  moment: string
  title: ComponentChildren
  /** Names the card. */
  id?: string
  /** True if a person has just opened it: the keyboard continues there. */
  isOpened?: boolean
  /** True if it is one of several. */
  isSmall?: boolean
  /** A line below the title. */
  about?: ComponentChildren
  /** The acts. */
  children?: ComponentChildren
}

export function SubjectHead({ badge, moment, title, id, isOpened, isSmall, about, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    if (isOpened === true) heading.current?.focus()
  }, [])
  return (
    <div class="head row between">
      <div class="stack-s">
        <p class="row">
          {badge}
          <span class="soft small number">{moment}</span>
        </p>
        <h2 id={id} ref={heading} tabIndex={-1} class={classes(isSmall !== true && 'subject')}>
          {title}
        </h2>
        {about}
      </div>
      {children}
    </div>
  )
}
