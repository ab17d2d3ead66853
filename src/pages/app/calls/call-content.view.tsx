// What is stored of a call's request and answer, and the mark of a call as an incident.
import type { Infer } from '../../../platform/once.ts'
import type { ContentSchema } from '../../../management/content/content.schema.ts'
import { useButtonRequest } from '../../api/use-button-request.ts'
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { Soft } from '../../parts/layout.view.tsx'
import { Remark } from '../../parts/surfaces.view.tsx'
import { Section } from '../../parts/page-blocks.view.tsx'
import { useNamesOrIds } from '../key-and-person-names.view.tsx'
import { callApi, hasPermission, inOrganisation } from '../session.ts'
import { StatementNote, useStatements } from '../statements/statements.view.tsx'

/** Lets a person mark a call as an incident, by a statement. The checklist and reports then include it. */
export function CallIncident({ trace }: { trace: string }) {
  const statements = useStatements()
  const nameOf = useNamesOrIds()
  return (
    <Section title="Incident" level={3}>
      <Soft as="p">A mark keeps the call in the checklist and in reports. What happened is reported elsewhere.</Soft>
      <StatementNote statements={statements} subject={`incident:${trace}`} what="this call" nameOf={nameOf} />
    </Section>
  )
}

type Content = Infer<typeof ContentSchema>

type KeptProps = {
  id: string
  /** False if the call's record says that nothing was stored. */
  isKept: boolean
}

/** Shows the stored request and answer. The log records each access, so they load only when a person asks. */
export function KeptContent({ id, isKept }: KeptProps) {
  const { ask, body, problem } = useButtonRequest(() =>
    callApi<Content>('GET', `/api/compliance/content/${encodeURIComponent(id)}`),
  )
  if (!hasPermission('content:read')) return null
  return (
    <Section title="Request and answer" level={3}>
      {!isKept && <NotKept />}
      {isKept && body === null && (
        <>
          <Soft as="p">Your log will say that you read it.</Soft>
          <p>
            <Button onClick={ask}>Read request and answer</Button>
          </p>
        </>
      )}
      {problem?.code === 'not_found' && <Remark role="status">{problem.message}</Remark>}
      {problem !== null && problem.code !== 'not_found' && <RefusalNotice problem={problem} />}
      {body !== null && <KeptContentShown content={body} />}
    </Section>
  )
}

const NotKept = () => (
  <Soft as="p">
    Not kept.
    {hasPermission('settings:change') && (
      <>
        {' '}
        Change that in <a href={inOrganisation('/app/settings#content')}>Settings</a>.
      </>
    )}
  </Soft>
)

const KeptContentShown = ({ content: { request, answer, truncated } }: { content: Content }) => (
  <>
    <h4>The request</h4>
    <pre tabIndex={0}>{JSON.stringify(request, null, 2)}</pre>
    <h4>The answer</h4>
    {answer === null ? (
      <Soft as="p">Nothing was answered.</Soft>
    ) : (
      <pre tabIndex={0}>{JSON.stringify(answer, null, 2)}</pre>
    )}
    {truncated && <Soft as="p">The end of the answer is left out.</Soft>}
  </>
)
