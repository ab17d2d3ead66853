// The versions that the policy has had: who made each, when, what it changed. One of them whole can be brought back.
import type { Policy, ShownPolicyVersion } from '../../../management/policies/policies.schema.ts'
import type { List } from '../../../platform/list.schema.ts'
import type { Session } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { useList } from '../../api/use-list.ts'
import { Command } from '../../parts/command.view.tsx'
import { Empty } from '../../parts/empty.view.tsx'
import { Exact } from '../../parts/exact.view.tsx'
import { ListOf } from '../../parts/list.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { OpenedHeading } from '../../parts/opened-heading.view.tsx'
import { OpenLink } from '../../parts/open-link.view.tsx'
import { Refusal } from '../../parts/refusal.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { Table, type Column } from '../../parts/table.view.tsx'
import { plural } from '../../text/format.ts'
import { inWords } from '../../text/in-words.ts'
import { callIn } from '../call-in.ts'
import { textOf } from './draft.ts'
import { wordsOfPath } from './path-words.ts'

type NameOf = (id: string) => string

export function History({ session, nameOf, inForce }: { session: Session; nameOf: NameOf; inForce: number }) {
  const listed = useList<ShownPolicyVersion>(
    (cursor, signal) =>
      callIn<List<ShownPolicyVersion>>(session, 'GET', '/api/policies/history', { query: { cursor }, signal }),
    [inForce],
  )
  return (
    <section class="stack" aria-labelledby="history">
      <h2 id="history">History</h2>
      <ListOf
        listed={listed}
        noun="version"
        empty={
          <Empty
            title="No version yet"
            line={`curl ${location.origin}/api/policies/history -H "authorization: Bearer $MANAGEMENT_KEY"`}
          >
            Every policy that is put in force stays here, with who made it and what it changed.
          </Empty>
        }
      >
        {(versions) => (
          <Table
            caption="Versions, the latest first"
            isCaptionHidden
            columns={columnsOf(nameOf, inForce)}
            rows={versions}
            keyOf={({ version }) => String(version)}
          />
        )}
      </ListOf>
    </section>
  )
}

const columnsOf = (nameOf: NameOf, inForce: number): readonly Column<ShownPolicyVersion>[] => [
  {
    name: 'Version',
    cell: ({ version }) => (
      <>
        <OpenLink change={{ version: String(version) }}>Version {version}</OpenLink>{' '}
        {version === inForce && <span class="badge good">In force</span>}
      </>
    ),
  },
  { name: 'Made', cell: ({ created_at: at }) => <Moment at={at} /> },
  { name: 'By', cell: ({ created_by: by }) => nameOf(by) },
  {
    name: 'Changed',
    cell: ({ changes }) =>
      changes === null
        ? 'the version before is not kept any more'
        : changes.length === 0
          ? 'nothing'
          : `${plural(changes.length, 'member')}: ${changes.map(({ path }) => wordsOfPath(path)).join(', ')}`,
  },
]

const NO_VERSION = {
  not_found: 'There is no such version, or it is not kept any more.',
  invalid_request: 'There is no such version, or it is not kept any more.',
}

type Given = {
  session: Session
  version: string
  nameOf: NameOf
  inForce: number
  /** Null where it may not be: then there is no button for it. */
  onBringBack: ((policy: Policy) => void) | null
}

export function OldVersion({ session, version, nameOf, inForce, onBringBack }: Given) {
  const [loaded, again] = useAnswer<Policy>(
    (signal) => callIn<Policy>(session, 'GET', `/api/policies/history/${encodeURIComponent(version)}`, { signal }),
    [version],
  )
  if (loaded.state === 'loading') return <Skeleton lines={12} />
  if (loaded.state === 'refused') return <Refusal problem={inWords(loaded.problem, NO_VERSION)} onRetry={again} />
  const policy = loaded.body
  return (
    <section class="card stack">
      <OpenedHeading>Version {policy.version}</OpenedHeading>
      <dl class="facts">
        <dt>Made</dt>
        <dd>
          {policy.created_at !== null && <Moment at={policy.created_at} />}
          {policy.created_by !== null && ` by ${nameOf(policy.created_by)}`}
        </dd>
        <dt>SHA-256</dt>
        <dd>
          <Exact value={policy.id} what="the hash of the policy" />
        </dd>
      </dl>
      <Command line={textOf(policy.document)} what="the policy" />
      {policy.version === inForce ? (
        <p class="soft">This is the version in force.</p>
      ) : (
        onBringBack !== null && (
          <p class="row">
            <button type="button" class="button" onClick={() => onBringBack(policy)}>
              Bring it back
            </button>
            <span class="soft">You see what that changes before it is in force.</span>
          </p>
        )
      )}
    </section>
  )
}
