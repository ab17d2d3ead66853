// The button that leads to the playground, where a page has no calls to show.
import { Icon } from '../parts/icon.view.tsx'
import { play } from '../parts/icons.ts'
import { inOrganisation } from './session.ts'
import { ButtonLink } from '../parts/surfaces.view.tsx'

/** The place in this browser that says that the organisation's record was checked here: a first step. */
export const checkedRecord = (id: string): string => `record-checked:${id}`

/** @param isFirst true for the act that a page proposes */
export const PlaygroundLink = ({ isFirst = false }: { isFirst?: boolean }) => (
  <ButtonLink look={isFirst ? 'first' : undefined} href={inOrganisation('/app/playground')}>
    <Icon of={play} />
    Open the playground
  </ButtonLink>
)
