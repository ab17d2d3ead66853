// People as faces of two letters.
import { initialsOf } from '../text/id-labels.ts'
import { Icon } from './icon.view.tsx'
import type { IconPaths } from './icons.ts'

/** `name`: null if it is not known; the icon stands in the place of the letters. */
type FaceProps = { name: string | null; icon: IconPaths }

export const Face = ({ name, icon }: FaceProps) => (
  <span class="initials face" aria-hidden="true">
    {name === null ? <Icon of={icon} /> : initialsOf(name)}
  </span>
)
