// The cases in which people must approve a request: it needs approval where it fits all of any one of them.
import { isMembers } from './draft.ts'
import { textsIn, valueAt, type Editing } from './editing.ts'
import { InJsonOnly } from './in-json-only.view.tsx'
import { ListMember, NumberMember } from './plain-members.view.tsx'

const LISTS = [
  { kind: 'lines', path: ['use_cases'], label: 'Use cases', hint: 'One a line. Empty: whatever it is for.' },
  { kind: 'lines', path: ['models'], label: 'Models', hint: 'One a line. Empty: any model.' },
] as const

const COST = { kind: 'eur', path: ['min_cost_eur'], label: 'Euro that it can cost, at least' } as const

const ASKED = [...LISTS.map(({ path: [name] }) => name), ...COST.path, 'content_kinds']

const KINDS = ['text', 'image', 'file', 'tools']

export function ApprovalCases({ editing, path }: { editing: Editing; path: readonly string[] }) {
  const value = valueAt(editing, path)
  const cases: readonly unknown[] = Array.isArray(value) ? value : []
  const set = (next: readonly unknown[]): void => editing.set(path, next)
  return (
    <div class="stack">
      {cases.map((one, at) => (
        // Cases have no names: their place is all that tells them apart.
        // oxlint-disable-next-line react/no-array-index-key
        <fieldset key={at} class="card stack">
          <legend class="only-read">Case {at + 1}</legend>
          <p>
            <strong>Case {at + 1}:</strong>{' '}
            {isMembers(one) && Object.keys(one).length > 0 ? 'requests that fit all of this' : 'every request'}
          </p>
          <CaseFields
            editing={{
              document: isMembers(one) ? one : {},
              set: (own, changed) => set(cases.with(at, changedCase(one, own, changed))),
              faultOf: (own) => editing.faultOf([...path, String(at), ...own]),
            }}
          />
          {cases.length > 1 && (
            <p>
              <button type="button" class="button" onClick={() => set(cases.toSpliced(at, 1))}>
                Take case {at + 1} away
              </button>
            </p>
          )}
        </fieldset>
      ))}
      <p>
        <button type="button" class="button" onClick={() => set([...cases, {}])}>
          Add a case
        </button>
      </p>
    </div>
  )
}

function changedCase(one: unknown, [name]: readonly string[], value: unknown): unknown {
  if (name === undefined) return one
  const { [name]: _, ...others } = isMembers(one) ? one : {}
  return value === undefined ? others : { ...others, [name]: value }
}

function CaseFields({ editing }: { editing: Editing }) {
  const kinds = textsIn(editing.document['content_kinds'])
  return (
    <>
      <div class="columns">
        {LISTS.map((asked) => (
          <ListMember key={asked.label} editing={editing} path={asked.path} asked={asked} />
        ))}
        <NumberMember editing={editing} path={COST.path} asked={COST} />
      </div>
      <fieldset class="stack">
        <legend>With any of this content</legend>
        <div class="row">
          {KINDS.map((kind) => (
            <label key={kind} class="choice">
              <input
                type="checkbox"
                checked={kinds.includes(kind)}
                onChange={({ currentTarget: { checked } }) => {
                  const next = KINDS.filter((one) => (one === kind ? checked : kinds.includes(one)))
                  editing.set(['content_kinds'], next.length === 0 ? undefined : next)
                }}
              />
              {kind}
            </label>
          ))}
        </div>
      </fieldset>
      <InJsonOnly value={editing.document} shown={ASKED} />
    </>
  )
}
