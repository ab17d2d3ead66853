// Policy page: lists the policy's versions, who put each in force, and what it changed. An old version can be put back.
import { exactTime } from '../../parts/times.view.tsx'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Policy, ShownPolicyVersion } from '../../../management/policies/policies.schema.ts'
import { Answered, OpenedHeading } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { CopyableText, CopyableValue } from '../../parts/copy-button.view.tsx'
import { columnsOf, personAndTime, type Column } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { EmptyNotice } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { Facts, factsIf } from '../../parts/page-blocks.view.tsx'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { personOf, type NameOf } from '../key-and-person-names.view.tsx'
import { callApi, useApiList } from '../session.ts'
import { useView } from '../use-view.ts'
import { answered, bodyOf, type Answer } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { ChangeWords, ExactChanges } from './policy-changes.view.tsx'
import { NO_VERSION, textOf } from './policy-draft.ts'
import { wordsOfChanges } from './rule-words.ts'
import { OnlyRead, Stack, Row, Note, Soft, Text } from '../../parts/layout.view.tsx'

/** Puts a version back, after a dialog. Null if this person may not: then there is no button. */
export type PutBack = ((version: number) => void) | null

export function History({ nameOf, inForce, onPutBack }: { nameOf: NameOf; inForce: number; onPutBack: PutBack }) {
  const versions = useApiList<ShownPolicyVersion>('/api/policies/history', {}, [inForce])
  const view = useView(nameOf)
  const columns = useMemo(() => columnsFor(inForce, onPutBack), [inForce, onPutBack])
  return (
    <>
      <DataGrid
        label="Versions, the latest first"
        noun="version"
        file="policy-versions"
        columns={columns}
        rows={versions}
        keyOf={({ version }) => String(version)}
        view={view}
        link={({ version }, content) => (
          <ParameterLink look="cover" change={{ version: String(version) }}>
            {content}
          </ParameterLink>
        )}
        empty={
          <EmptyNotice title="No version yet">
            Every policy that is put in force is kept here, with who put it in force and what it changed. Any of them
            can be put back.
          </EmptyNotice>
        }
      />
      {inForce > 0 && (
        <Note as="p">
          Putting a version back makes a new version with the same rules. Each version is an entry of your log.
        </Note>
      )}
    </>
  )
}

const listed = columnsOf<ShownPolicyVersion>()

const columnsFor = (inForce: number, onPutBack: PutBack): readonly Column<ShownPolicyVersion>[] => [
  listed.own({
    id: 'version',
    head: 'Version',
    kind: 'name',
    cell: (of) => `Version ${of.version}`,
    note: (of) => of.version === inForce && <Badge tone="changed">In force</Badge>,
    plain: (of) => String(of.version),
  }),
  listed.own({
    id: 'from',
    head: 'Put in force',
    kind: 'moment',
    phone: 'line',
    cell: ({ created_by: by, created_at: at }, view) => personAndTime(by, at, view),
    plain: ({ created_by: by, created_at: at }, { nameOf }) => `${at} ${nameOf(by) ?? by}`,
  }),
  listed.own({
    id: 'changes',
    head: 'What changed',
    kind: 'wide',
    cell: ({ changes, reason }) => (
      <>
        {changedWords(changes)}
        {reason !== null && (
          <Text as="q" isAsWritten>
            {reason}
          </Text>
        )}
      </>
    ),
    plain: ({ changes, reason }) =>
      [
        ...wordsOfChanges(changes ?? []).map(({ title, sentences }) => `${title}: ${sentences.join('. ')}`),
        reason ?? '',
      ]
        .filter(Boolean)
        .join('; '),
  }),
  listed.act(
    ({ version }) =>
      version !== inForce &&
      onPutBack !== null && (
        <Button onClick={() => onPutBack(version)}>
          Put back <OnlyRead>version {version}</OnlyRead>
        </Button>
      ),
  ),
]

function changedWords(changes: ShownPolicyVersion['changes']): ComponentChildren {
  if (changes === null) return 'The version before is not kept any more'
  if (changes.length === 0) return 'Nothing'
  return wordsOfChanges(changes).map(({ title, sentences }) => (
    <div key={title}>
      {title}: <Soft>{sentences.join('. ')}</Soft>
    </div>
  ))
}

type DetailProps = {
  version: string
  nameOf: NameOf
  inForce: number
  onPutBack: PutBack
  /** Writes the version into the form. Null if this person may not. */
  onWrite: ((policy: Policy) => void) | null
}

type Version = { policy: Policy } & Pick<ShownPolicyVersion, 'changes' | 'reason'>

/** A version, and what it changed. The oldest ones are further back than the list that is asked for. */
async function loadVersion(version: string, signal: AbortSignal): Promise<Answer<Version>> {
  const [policy, history] = await Promise.all([
    callApi<Policy>('GET', `/api/policies/history/${encodeURIComponent(version)}`, { signal }),
    callApi<List<ShownPolicyVersion>>('GET', '/api/policies/history', { query: { limit: 100 }, signal }),
  ])
  if (policy.outcome === 'refused') return policy
  const own = bodyOf(history)?.data.find((one) => one.version === policy.body.version)
  return answered({ policy: policy.body, changes: own?.changes ?? null, reason: own?.reason ?? null })
}

export function VersionDetail({ version, nameOf, inForce, onPutBack, onWrite }: DetailProps) {
  const answer = useAnswer((signal) => loadVersion(version, signal), [version])
  return (
    <Answered answer={answer} lines={12} words={NO_VERSION}>
      {({ policy, changes, reason }) => (
        <Stack as="section" isCard>
          <Row isApart>
            <OpenedHeading>Version {policy.version}</OpenedHeading>
            <ParameterLink change={{ version: '', view: 'history' }}>Close</ParameterLink>
          </Row>
          <Facts
            facts={[
              [
                'In force from',
                <>
                  {policy.created_at !== null && (
                    <time dateTime={policy.created_at}>{exactTime(policy.created_at)}</time>
                  )}
                  {policy.created_by !== null && ` by ${personOf(nameOf, policy.created_by)}`}
                </>,
              ],
              ...factsIf(reason !== null, ['Reason', reason]),
              ['SHA-256', <CopyableValue value={policy.id} what="the hash of the policy" />],
            ]}
          />
          {changes !== null && changes.length > 0 && (
            <>
              <ChangeWords changes={changes} />
              <ExactChanges changes={changes} />
            </>
          )}
          <details>
            <summary>The whole policy as JSON</summary>
            <CopyableText line={textOf(policy.document)} what="the policy" />
          </details>
          {policy.version === inForce && <Soft as="p">This is the version in force.</Soft>}
          {policy.version !== inForce && onPutBack !== null && onWrite !== null && (
            <Row as="p">
              <Button onClick={() => onPutBack(policy.version)}>Put this version back</Button>
              <Button onClick={() => onWrite(policy)}>Change it first</Button>
            </Row>
          )}
        </Stack>
      )}
    </Answered>
  )
}
