// Policies page: lists the policy's versions, who made each, and its changes. An old version can be restored.
import { Button } from '../../parts/button.view.tsx'
import type { Policy, ShownPolicyVersion } from '../../../management/policies/policies.schema.ts'
import { CopyableText, CopyableValue } from '../../parts/copy-button.view.tsx'
import { type Column, EmptyNotice, ListTable } from '../../parts/list-table.view.tsx'
import { Facts, Section } from '../../parts/page-blocks.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { Answered, OpenedHeading } from '../../parts/answer-notices.view.tsx'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { plural } from '../../text/format.ts'
import type { NameOf } from '../key-and-person-names.view.tsx'
import { textOf, wordsOfPath } from './policy-draft.ts'
import { useApi, useApiList } from '../session.ts'

export function History({ nameOf, inForce }: { nameOf: NameOf; inForce: number }) {
  const listed = useApiList<ShownPolicyVersion>('/api/policies/history', {}, [inForce])
  return (
    <Section title="History">
      <ListTable
        listed={listed}
        noun="version"
        empty={
          <EmptyNotice
            title="No version yet"
            line={`curl ${location.origin}/api/policies/history -H "authorization: Bearer $MANAGEMENT_KEY"`}
          >
            Every policy that is put in force stays here, with who made it and what it changed.
          </EmptyNotice>
        }
        caption="Versions, the latest first"
        isCaptionHidden
        columns={columnsOf(nameOf, inForce)}
        keyOf={({ version }) => String(version)}
      />
    </Section>
  )
}

const columnsOf = (nameOf: NameOf, inForce: number): readonly Column<ShownPolicyVersion>[] => [
  {
    name: 'Version',
    cell: ({ version }) => (
      <>
        <ParameterLink change={{ version: String(version) }}>Version {version}</ParameterLink>{' '}
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

type Props = {
  version: string
  nameOf: NameOf
  inForce: number
  /** Restores the version. Null if this person may not, and then there is no button. */
  onRestore: ((policy: Policy) => void) | null
}

export function VersionDetail({ version, nameOf, inForce, onRestore }: Props) {
  const answer = useApi<Policy>(`/api/policies/history/${encodeURIComponent(version)}`)
  return (
    <Answered answer={answer} lines={12} words={NO_VERSION}>
      {(policy) => (
        <section class="card stack">
          <OpenedHeading>Version {policy.version}</OpenedHeading>
          <Facts
            facts={[
              [
                'Made',
                <>
                  {policy.created_at !== null && <Moment at={policy.created_at} />}
                  {policy.created_by !== null && ` by ${nameOf(policy.created_by)}`}
                </>,
              ],
              ['SHA-256', <CopyableValue value={policy.id} what="the hash of the policy" />],
            ]}
          />
          <CopyableText line={textOf(policy.document)} what="the policy" />
          {policy.version === inForce && <p class="soft">This is the version in force.</p>}
          {policy.version !== inForce && onRestore !== null && (
            <p class="row">
              <Button onClick={() => onRestore(policy)}>Bring it back</Button>
              <span class="soft">You see what that changes before it is in force.</span>
            </p>
          )}
        </section>
      )}
    </Answered>
  )
}
