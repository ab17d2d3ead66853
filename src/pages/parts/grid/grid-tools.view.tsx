// What the menu of a list has in it.
import { Button } from '../button.view.tsx'
import { CopyButton } from '../copy-button.view.tsx'
import { Checkbox } from '../fields.view.tsx'
import { saveFile } from '../save-button.view.tsx'
import type { MenuProps } from './grid-address.ts'

export const GridTools = ({ file, tools, columns, isDense, setDense, toggle, texts }: MenuProps) => (
  <>
    {tools}
    <fieldset class="stack-s">
      <legend>Columns</legend>
      {columns.map(({ id, head, isShown }) => (
        <Checkbox key={id} isChecked={isShown} onCheck={() => toggle(id)}>
          {head}
        </Checkbox>
      ))}
    </fieldset>
    <Checkbox isChecked={isDense} onCheck={setDense}>
      Dense rows
    </Checkbox>
    <CopyButton text={location.href} what="of this list" label="Copy link" />
    <Button
      onClick={() => saveFile({ name: `${file}.csv`, content: new Blob([csvOf(texts())], { type: 'text/csv' }) })}
    >
      Save what is shown (CSV)
    </Button>
  </>
)

/** A spreadsheet runs a cell that begins like a formula; one whose decimal mark is a comma begins cells within quotes too. */
const FORMULA = /(^|[;\t\r\n])(?=[=+\-@\t\r＝＋－＠])/gu

function quoted(text: string): string {
  const safe = text.replaceAll(FORMULA, "$1'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Lines as a CSV file (RFC 4180, https://www.rfc-editor.org/rfc/rfc4180). */
const csvOf = (lines: ReturnType<MenuProps['texts']>): string =>
  lines.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('')
