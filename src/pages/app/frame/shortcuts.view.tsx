// The list of the shortcut keys, opened by `?`, in which a person can switch the single keys off: speech input types them by chance.
import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'
import { Checkbox } from '../../parts/fields.view.tsx'
import { showInFront } from '../../parts/island.ts'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { areSingleKeysOff, isPlain, isTyping, setSingleKeysOff } from '../../search/open-search.ts'
import { Row } from '../../parts/layout.view.tsx'

export function enableShortcutList(): void {
  addEventListener('keydown', (event) => {
    if (event.key !== '?' || !isPlain(event) || isTyping(event.target) || areSingleKeysOff()) return
    if (document.querySelector('dialog[open]') !== null) return
    event.preventDefault()
    showShortcutList()
  })
}

export const showShortcutList = () => showInFront((close) => <ShortcutList onClose={close} />)

const SHORTCUTS = [
  ['Ctrl K or /', 'Find a page, an id or a document, or do something'],
  ['?', 'Show these keys'],
  ['Escape', 'Close what is in front of the page'],
  ['j k or ↓ ↑', 'In a list: the next row, the row before. In front of a list, j and k open the next call'],
  ['Enter', 'In a list: open the row'],
  ['x', 'In a list: select the row'],
  ['← →', 'In a chart: the place before, the place after'],
  ['Home End', 'In a list or a chart: the first place, the last'],
] as const

function ShortcutList({ onClose }: { onClose: () => void }) {
  const [isOff, setOff] = useState(areSingleKeysOff)
  const switchOff = (isNowOff: boolean): void => {
    setSingleKeysOff(isNowOff)
    setOff(isNowOff)
  }
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <Facts facts={SHORTCUTS.map(([key, what]) => [<kbd>{key}</kbd>, what])} />
      <Checkbox isChecked={isOff} onCheck={switchOff}>
        <span>Switch keys without Ctrl off in this browser</span>
      </Checkbox>
      <Row as="p">
        <Button onClick={onClose}>Close</Button>
      </Row>
    </Dialog>
  )
}
