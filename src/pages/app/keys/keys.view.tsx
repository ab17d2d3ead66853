// The organisation's keys: which there are, when each was last used, and one of them whole.
import { useState } from 'preact/hooks'
import type { Key } from '../../../keys/key.schema.ts'
import type { List } from '../../../platform/list.schema.ts'
import type { Session } from '../../api/session.ts'
import { useAddress } from '../../api/use-address.ts'
import { useList } from '../../api/use-list.ts'
import { Empty } from '../../parts/empty.view.tsx'
import { Field } from '../../parts/field.view.tsx'
import { ListOf } from '../../parts/list.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { OpenLink } from '../../parts/open-link.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { Table, type Column } from '../../parts/table.view.tsx'
import { callIn } from '../call-in.ts'
import { ForRoles } from '../for-roles.view.tsx'
import { mayIn } from '../may-in.ts'
import { useLoadedNames } from '../use-names.ts'
import { CreateKey } from './create-key.view.tsx'
import { KeyCard } from './key-card.view.tsx'
import { LINE_THAT_CREATES, scopesOf, standingOf, stub, type CreatedKey } from './key-words.ts'
import { Secret } from './secret.view.tsx'

export function Keys({ session }: { session: Session }) {
  return (
    <ForRoles session={session} permission="keys:read" what="keys">
      <OwnKeys session={session} />
    </ForRoles>
  )
}

function OwnKeys({ session }: { session: Session }) {
  const [address, changeAddress] = useAddress()
  const id = address.get('id') ?? ''
  const status = address.get('status') === 'all' ? 'all' : 'active'
  const listed = useList<Key>(
    (cursor, signal) =>
      callIn<List<Key>>(session, 'GET', '/api/keys', { query: { status, cursor, limit: 100 }, signal }),
    [status],
  )
  const nameOf = useLoadedNames(session)
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<{ created: CreatedKey; old: Key | null } | null>(null)
  const [said, setSaid] = useState('')

  const show = (created: CreatedKey, old: Key | null): void => {
    setCreating(false)
    setSecret({ created, old })
  }
  const stored = (): void => {
    setSecret(null)
    setSaid(`${secret?.created.name} is made.`)
    if (secret !== null && secret.old !== null) changeAddress({ id: secret.created.id })
    listed.again()
  }
  const changed = (words: string): void => {
    setSaid(words)
    listed.again()
  }
  const mayCreate = mayIn(session, 'keys:own')
  const createButton = mayCreate && (
    <button type="button" class="button first" onClick={() => setCreating(true)}>
      Create a key
    </button>
  )

  return (
    <>
      <p role="status">{said}</p>
      {id !== '' && (
        <>
          <p>
            <OpenLink change={{ id: '' }}>All keys</OpenLink>
          </p>
          {nameOf === null ? (
            <Skeleton lines={12} />
          ) : (
            <KeyCard key={id} session={session} id={id} nameOf={nameOf} onChanged={changed} onRotated={show} />
          )}
        </>
      )}
      <div class="stack" hidden={id !== ''}>
        <div class="row at-end between">
          <Field label="Show">
            {(control) => (
              <select
                {...control}
                value={status}
                onChange={({ currentTarget: { value } }) => changeAddress({ status: value === 'all' ? 'all' : '' })}
              >
                <option value="active">Keys in force</option>
                <option value="all">All keys there ever were</option>
              </select>
            )}
          </Field>
          {createButton}
        </div>
        {!mayCreate && <p class="soft">Your role may see keys and not make or change them.</p>}
        <ListOf
          listed={listed}
          noun="key"
          empty={
            <Empty title="No keys yet" line={LINE_THAT_CREATES()} action={createButton}>
              Every program that calls a model through Countersign has a key of its own. Each is listed here with when
              it was last used.
            </Empty>
          }
        >
          {(keys) => (
            <Table caption="Keys, newest first" isCaptionHidden columns={COLUMNS} rows={keys} keyOf={(key) => key.id} />
          )}
        </ListOf>
      </div>
      {isCreating && (
        <CreateKey session={session} onMade={(created) => show(created, null)} onClose={() => setCreating(false)} />
      )}
      {secret !== null && <Secret created={secret.created} old={secret.old} onStored={stored} />}
    </>
  )
}

const COLUMNS: readonly Column<Key>[] = [
  { name: 'Name', cell: (key) => <OpenLink change={{ id: key.id }}>{key.name}</OpenLink> },
  { name: 'Key', cell: (key) => <code>{stub(key)}</code> },
  { name: 'May', cell: scopesOf },
  {
    name: 'Standing',
    cell: (key) => {
      const { words, look } = standingOf(key)
      return <span class={`badge ${look}`}>{words}</span>
    },
  },
  { name: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'never' : <Moment at={at} />) },
  {
    name: 'Ends',
    cell: ({ revoked_at: revoked, expires_at: expires }) => {
      const at = revoked ?? expires
      return at === null ? 'no end' : <Moment at={at} />
    },
  },
]
