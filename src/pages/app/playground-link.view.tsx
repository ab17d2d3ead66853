// The button that leads to the playground, where a page has no calls to show.
import { Icon } from '../parts/icon.view.tsx'
import { play } from '../parts/icons.ts'
import { inOrganisation } from './session.ts'

/** @param isFirst true for the act that a page proposes */
export const PlaygroundLink = ({ isFirst = false }: { isFirst?: boolean }) => (
  <a class={isFirst ? 'button first' : 'button'} href={inOrganisation('/app/playground')}>
    <Icon of={play} />
    Open the playground
  </a>
)
