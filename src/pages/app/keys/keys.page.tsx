// The keys page: the list of the organisation's API keys, one key in full, and the secret of a new key.
import { useState } from 'preact/hooks'
import type * as z from 'zod'
import type { Key, KeysQuerySchema } from '../../../keys/key.schema.ts'
import type { KeyFiguresList } from '../../../management/analytics/analytics.schema.ts'
import { answered } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { ParameterLink, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { CopyableText } from '../../parts/copy-button.view.tsx'
import { ShownOnce } from '../../parts/dialog.view.tsx'
import { SelectField } from '../../parts/fields.view.tsx'
import { useUnsavedWarning } from '../../parts/form.view.tsx'
import { Skeleton } from '../../parts/answer-notices.view.tsx'
import { type Column, EmptyNotice, figures, ListTable } from '../../parts/list-table.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { formatEuro, formatNumber } from '../../text/format.ts'
import { useLoadedNames } from '../key-and-person-names.view.tsx'
import { openPage } from '../open-page.tsx'
import { callApi, hasPermission, hasTierFeature, useApiList } from '../session.ts'
import { KeyCard } from './key-card.view.tsx'
import { CreateKey } from './key-forms.view.tsx'
import {
  firstRequestCommand,
  createKeyCommand,
  describeMade,
  scopesOf,
  KeyStatusBadge,
  maskedKey,
  type CreatedKey,
} from './key-labels.tsx'

function Keys() {
  const [address, changeUrlParameters] = useUrlParameters()
  const id = address.get('id') ?? ''
  const status = address.get('status') === 'all' ? 'all' : 'active'
  const listed = useApiList<Key>('/api/keys', { status, limit: 100 })
  const nameOf = useLoadedNames()
  const counted = useKeyFigures()
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<SecretProps | null>(null)
  const [notice, setNotice] = useState('')

  const show = (created: CreatedKey, old: Key | null, made: readonly Key[] = []): void => {
    setCreating(false)
    setSecret({ created, old, made })
  }
  const stored = (): void => {
    setSecret(null)
    setNotice(`${secret?.created.name} is made.`)
    if (secret !== null && secret.old !== null) changeUrlParameters({ id: secret.created.id })
    listed.again()
  }
  const reportChange = (words: string): void => {
    setNotice(words)
    listed.again()
  }
  const mayCreate = hasPermission('keys:own')
  const createButton = mayCreate && (
    <Button look="first" onClick={() => setCreating(true)}>
      Create a key
    </Button>
  )

  return (
    <>
      <p role="status">{notice}</p>
      {id !== '' && (
        <>
          <p>
            <ParameterLink change={{ id: '' }}>All keys</ParameterLink>
          </p>
          {nameOf === null ? (
            <Skeleton lines={12} />
          ) : (
            <KeyCard
              key={id}
              id={id}
              nameOf={nameOf}
              onChanged={reportChange}
              onRotated={(rotated, old) => show(rotated, old, rotated.made)}
            />
          )}
        </>
      )}
      <div class="stack" hidden={id !== ''}>
        <div class="row at-end between">
          <SelectField
            label="Show"
            value={status}
            onValue={(value) => changeUrlParameters({ status: value === 'all' ? 'all' : '' })}
            options={STATUSES}
          />
          {createButton}
        </div>
        {!mayCreate && <p class="soft">Your role may see keys and not make or change them.</p>}
        {counted === null ? (
          <Skeleton lines={8} />
        ) : (
          <ListTable
            listed={listed}
            noun="key"
            empty={
              <EmptyNotice title="No keys yet" line={createKeyCommand()} action={createButton}>
                Every program that calls a model through Countersign has a key of its own. Each is listed here with when
                it was last used.
              </EmptyNotice>
            }
            caption="Keys, newest first"
            isCaptionHidden
            columns={columnsWith(counted)}
            keyOf={(key) => key.id}
          />
        )}
      </div>
      {isCreating && <CreateKey onMade={(created) => show(created, null)} onClose={() => setCreating(false)} />}
      {secret !== null && <Secret {...secret} onStored={stored} />}
    </>
  )
}

const STATUSES = [
  ['active', 'Keys in force'],
  ['all', 'All keys there ever were'],
] as const satisfies readonly (readonly [z.infer<typeof KeysQuerySchema>['status'], string])[]

type KeyFigures = ReadonlyMap<string, KeyFiguresList['data'][number]> | 'not_shown'

/** Loads the figures of the last 30 days by key; null until they are loaded. They are not shown if the tier or the role lacks them. */
function useKeyFigures(): KeyFigures | null {
  const isCounted = hasTierFeature('analytics') && hasPermission('usage:read')
  const [loaded] = useAnswer<KeyFiguresList | null>(
    (signal) =>
      isCounted
        ? callApi<KeyFiguresList>('GET', '/api/analytics/keys', { signal })
        : Promise.resolve(answered<KeyFiguresList | null>(null)),
    [],
  )
  if (loaded.state === 'loading') return null
  if (loaded.state === 'refused' || loaded.body === null) return 'not_shown'
  return new Map(loaded.body.data.map((figure) => [figure.key_id, figure]))
}

const columnsWith = (counted: KeyFigures): readonly Column<Key>[] =>
  counted === 'not_shown'
    ? COLUMNS
    : [
        ...COLUMNS,
        figures('Calls in 30 days', ({ id }) => formatNumber(counted.get(id)?.requests ?? 0)),
        figures('Stopped', ({ id }) => {
          const { held = 0, blocked = 0, suppressed = 0 } = counted.get(id) ?? {}
          return formatNumber(held + blocked + suppressed)
        }),
        figures('Cost', ({ id }) => formatEuro(counted.get(id)?.cost_eur ?? 0)),
      ]

const COLUMNS: readonly Column<Key>[] = [
  { name: 'Name', cell: (key) => <ParameterLink change={{ id: key.id }}>{key.name}</ParameterLink> },
  { name: 'Key', cell: (key) => <code>{maskedKey(key)}</code> },
  { name: 'May', cell: scopesOf },
  { name: 'Standing', cell: (key) => <KeyStatusBadge of={key} /> },
  { name: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'never' : <Moment at={at} />) },
  {
    name: 'Ends',
    cell: ({ revoked_at: revoked, expires_at: expires }) => {
      const at = revoked ?? expires
      return at === null ? 'no end' : <Moment at={at} />
    },
  },
]

type SecretProps = {
  created: CreatedKey
  /** The current state of the key that the new one replaces, or null. */
  old: Key | null
  /** The keys that the old key made. */
  made: readonly Key[]
}

/** Shows a new key's secret once. No other part of the page has it. */
function Secret({ created, old, made, onStored }: SecretProps & { onStored: () => void }) {
  useUnsavedWarning(true)
  return (
    <ShownOnce title={old === null ? 'Your new key' : 'The new key'} button="I have stored it" onDone={onStored}>
      <p>
        <strong>{created.name}</strong> is shown now and never again. Store it where the program that uses it reads its
        secrets.
      </p>
      <CopyableText line={created.key} what="the key" />
      {old !== null && (
        <p>
          The old key {maskedKey(old)}{' '}
          {old.status === 'active' && old.expires_at !== null ? (
            <>
              works on and ends <Moment at={old.expires_at} />. Put the new one in its place before that.
            </>
          ) : (
            'does not work any more.'
          )}{' '}
          {describeMade(made)}
        </p>
      )}
      <p>A first request with it:</p>
      <CopyableText line={firstRequestCommand(created)} />
    </ShownOnce>
  )
}

await openPage('/app/keys', Keys)
