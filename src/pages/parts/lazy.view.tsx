// A part of a page whose code is loaded when the part is first shown.
import type { ComponentChildren, ComponentType } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { Skeleton } from './answer-notices.view.tsx'
import { Button } from './button.view.tsx'
import { Notice } from './page-blocks.view.tsx'

type State<Props> = { View: ComponentType<Props> } | 'loading' | 'failed'

/** @param lines of the skeleton @param above it, what the part begins with */
export const lazy = <Props extends object>(
  lines: number,
  load: () => Promise<ComponentType<Props>>,
  above?: ComponentChildren,
): ComponentType<Props> =>
  function Lazy(props: Props) {
    const [state, setState] = useState<State<Props>>('loading')
    useLayoutEffect(() => {
      load().then(
        (View) => setState({ View }),
        () => setState('failed'),
      )
    }, [])
    if (state === 'loading')
      return (
        <>
          {above}
          <Skeleton lines={lines} />
        </>
      )
    if (state !== 'failed') return <state.View {...props} />
    return (
      <Notice role="alert" title="This part of the page could not be loaded">
        <Button onClick={() => location.reload()}>Load the page again</Button>
      </Notice>
    )
  }
