// People as faces of two letters, and what goes from one to the other.
import type { ComponentChildren } from 'preact'
import { initialsOf } from '../text/id-labels.ts'
import { Badge } from './badge.view.tsx'
import { Icon } from './icon.view.tsx'
import { arrow, type IconPaths } from './icons.ts'
import { classes } from './drawn.ts'

type FaceProps = {
  /** Null if it is not known. */
  name: string | null
  /** In the place of the letters. */
  icon: IconPaths
  isYou?: boolean
}

export const Face = ({ name, icon, isYou }: FaceProps) => (
  <span class={classes('initials', isYou && 'you')} aria-hidden="true">
    {name === null ? <Icon of={icon} /> : initialsOf(name)}
  </span>
)

export const Person = ({ called, children, ...face }: FaceProps & { called: string; children: ComponentChildren }) => (
  <div class="row" data-gap="3" data-single>
    <Face {...face} />
    <p>
      <b>
        {called} {face.isYou === true && <Badge>You</Badge>}
      </b>
      {children}
    </p>
  </div>
)

export const FromTo = ({ from, to }: { from: ComponentChildren; to: ComponentChildren }) => (
  <div class="from-to row">
    {from}
    <Icon of={arrow} />
    {to}
  </div>
)
