// The menu of a list: its columns, how dense it is, its link, and what is shown as a file. Its content is loaded when it is opened.
import { FilterMenu } from '../filter-menu.view.tsx'
import { Icon } from '../icon.view.tsx'
import { gear } from '../icons.ts'
import { lazy } from '../lazy.view.tsx'
import type { MenuProps } from './grid-address.ts'

const Tools = lazy(8, async () => (await import('./grid-tools.view.tsx')).GridTools)

export const GridMenu = (props: MenuProps) => (
  <div class="grid-menu no-print">
    <FilterMenu
      label="This list"
      look="button quiet sign"
      content={
        <>
          <Icon of={gear} />
          <span class="only-read">Columns and file of this list</span>
        </>
      }
    >
      {(close) => <Tools {...props} {...{ close }} />}
    </FilterMenu>
  </div>
)
