// What the menu of a list has in it.
import { useState } from 'preact/hooks'
import { refusalOf, type Problem } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered, DoneNotice, RefusalNotice } from '../answer-notices.view.tsx'
import { ActButton, Button } from '../button.view.tsx'
import { CopyButton } from '../copy-button.view.tsx'
import { Checkbox, TextField } from '../fields.view.tsx'
import { Form } from '../form.view.tsx'
import { saveFile } from '../save-button.view.tsx'
import type { SavedView, SavedViews } from './columns.tsx'
import type { MenuProps } from './grid-address.ts'

type Props = MenuProps & { close: () => void }

export const GridTools = ({ file, tools, saved, columns, isDense, setDense, toggle, texts, close }: Props) => (
  <>
    {tools?.(close)}
    {saved !== undefined && <Views list={file} saved={saved} />}
    <fieldset class="stack-s">
      <legend>Columns</legend>
      {/* Like its column, a choice is there only where the list is wide enough. */}
      {columns.map(({ id, head, from, phone, isShown }) => (
        <div key={id} data-from={from} data-phone={phone === 'none' ? phone : undefined}>
          <Checkbox
            isChecked={isShown}
            isDisabled={isShown && columns.filter((one) => one.isShown).length === 1}
            onCheck={() => toggle(id)}
          >
            {head}
          </Checkbox>
        </div>
      ))}
    </fieldset>
    <div data-phone="none">
      <Checkbox isChecked={isDense} onCheck={setDense}>
        Dense rows
      </Checkbox>
    </div>
    <CopyButton
      text={location.origin + (saved?.linkTo(location.pathname + location.search) ?? location.pathname)}
      what="of this list"
      label="Copy link"
    />
    <Button
      onClick={() => saveFile({ name: `${file}.csv`, content: new Blob([csvOf(texts())], { type: 'text/csv' }) })}
    >
      Save these rows (CSV)
    </Button>
  </>
)

function Views({ list, saved }: { list: string; saved: SavedViews }) {
  const answer = useAnswer(saved.load, [])
  const [changed, setChanged] = useState<readonly SavedView[] | null>(null)
  const [done, setDone] = useState('')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [name, setName] = useState('')

  /** Loads the views anew, so that it loses none that another tab saved. */
  async function change(edited: string, view: SavedView | null): Promise<Problem | null> {
    setProblem(null)
    setDone('')
    const before = await saved.load()
    if (before.outcome === 'refused') return before.problem
    const others = before.body.views.filter((one) => one.list !== list || one.name !== edited)
    return refusalOf(saved.replace(view === null ? others : [...others, view]), ({ views }) => {
      setChanged(views)
      setName('')
      setDone(view === null ? `Deleted “${edited}”.` : `Saved “${edited}”.`)
    })
  }

  return (
    <fieldset class="stack-s">
      <legend>Your views</legend>
      <Answered {...{ answer }} lines={2}>
        {({ views }) =>
          (changed ?? views)
            .filter((view) => view.list === list)
            .map((view) => (
              <p key={view.name} class="row between">
                <a href={saved.linkTo(location.pathname + view.search)}>{view.name}</a>
                <ActButton act={async () => setProblem(await change(view.name, null))}>
                  Delete<span class="only-read"> {view.name}</span>
                </ActButton>
              </p>
            ))
        }
      </Answered>
      {problem !== null && <RefusalNotice problem={problem} />}
      {done !== '' && <DoneNotice>{done}</DoneNotice>}
      <Form
        button="Save this view"
        ask={() => change(name.trim(), { list, name: name.trim(), search: searchOfList() })}
      >
        <TextField label="Name" value={name} onValue={setName} most={40} />
      </Form>
    </fieldset>
  )
}

/** Returns the address's query without what is open, and without the organisation, which a link adds. */
function searchOfList(): string {
  const { searchParams } = new URL(location.href)
  for (const name of ['id', 'leaf', 'org']) searchParams.delete(name)
  return searchParams.size === 0 ? '' : `?${searchParams}`
}

/** A spreadsheet runs a cell that begins like a formula; one whose decimal mark is a comma begins cells within quotes too. */
const FORMULA = /(^|[;\t\r\n])(?=[=+\-@\t\r＝＋－＠])/gu

function quoted(text: string): string {
  const safe = text.replaceAll(FORMULA, "$1'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Lines as a CSV file (RFC 4180, https://www.rfc-editor.org/rfc/rfc4180). */
const csvOf = (lines: ReturnType<MenuProps['texts']>): string =>
  lines.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('')
