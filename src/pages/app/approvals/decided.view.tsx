// What became of the requests that waited, the latest first.
import type { Key } from '../../../keys/key.schema.ts'
import type { List } from '../../../platform/list.schema.ts'
import type { ShownApproval } from '../../../organisation/approvals/shown-approval.schema.ts'
import type { Session } from '../../api/session.ts'
import { useAddress } from '../../api/use-address.ts'
import { useList } from '../../api/use-list.ts'
import { Field } from '../../parts/field.view.tsx'
import { ListOf } from '../../parts/list.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { OpenLink } from '../../parts/open-link.view.tsx'
import { Table, type Column } from '../../parts/table.view.tsx'
import { callIn } from '../call-in.ts'
import { KeyName } from '../key-name.view.tsx'
import { DECIDED_STATES, DECISION_WORDS, STATES, titleOf } from './approval-words.ts'

type Given = {
  session: Session
  keys: ReadonlyMap<string, Key>
  nameOf: (id: string) => string
  /** Counts the decisions that were made here. */
  made: number
}

export function DecidedApprovals({ session, keys, nameOf, made }: Given) {
  const [address, changeAddress] = useAddress()
  const state = DECIDED_STATES.find((one) => one === address.get('state')) ?? ''
  const all = useList<ShownApproval>(
    (cursor, signal) =>
      callIn<List<ShownApproval>>(session, 'GET', '/api/approvals', { query: { state, cursor, limit: 100 }, signal }),
    [state, made],
  )
  const rows = all.rows.filter((approval) => approval.state !== 'pending')
  return (
    <>
      <div class="row">
        <Field label="What became of them">
          {(control) => (
            <select
              {...control}
              value={state}
              onChange={({ currentTarget: { value } }) => changeAddress({ state: value })}
            >
              <option value="">Anything</option>
              {DECIDED_STATES.map((one) => (
                <option key={one} value={one}>
                  {STATES[one].words}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <ListOf listed={{ ...all, rows }} noun="request" empty={<p class="soft">There are none.</p>}>
        {(shown) => (
          <Table
            caption="Requests that waited, the latest first"
            isCaptionHidden
            columns={columnsOf(keys, nameOf)}
            rows={shown}
            keyOf={({ id }) => id}
          />
        )}
      </ListOf>
    </>
  )
}

const columnsOf = (
  keys: ReadonlyMap<string, Key>,
  nameOf: (id: string) => string,
): readonly Column<ShownApproval>[] => [
  { name: 'Request', cell: (approval) => <OpenLink change={{ id: approval.id }}>{titleOf(approval)}</OpenLink> },
  { name: 'State', cell: ({ state }) => <span class={`badge ${STATES[state].look}`}>{STATES[state].words}</span> },
  { name: 'Key', cell: ({ key_id: id }) => <KeyName id={id} keys={keys} /> },
  { name: 'Asked', cell: ({ created_at: at }) => <Moment at={at} /> },
  {
    name: 'Decided',
    cell: ({ decisions }) =>
      decisions.length === 0
        ? 'by nobody'
        : decisions.map(({ decision, decided_by: by }) => (
            <div key={by}>
              {DECISION_WORDS[decision]} by {nameOf(by)}
            </div>
          )),
  },
]
