// The compliance checklist as it stands, what people state, and reports; or the report that the address names.
import type { Session } from '../../api/session.ts'
import { useAddress } from '../../api/use-address.ts'
import { ForRoles } from '../for-roles.view.tsx'
import { useStatements } from '../statements/use-statements.ts'
import { useNames } from '../use-names.ts'
import { Checklist } from './checklist.view.tsx'
import { OtherStatements } from './other-statements.view.tsx'
import { ReportPage } from './report-page.view.tsx'
import { Reports } from './reports.view.tsx'

export function Compliance({ session }: { session: Session }) {
  const [members] = useAddress()
  const report = members.get('report') ?? ''
  return (
    <ForRoles session={session} permission="audit:read" what="compliance">
      {report === '' ? <Overview session={session} /> : <ReportPage key={report} session={session} id={report} />}
    </ForRoles>
  )
}

function Overview({ session }: { session: Session }) {
  const statements = useStatements(session)
  const nameOf = useNames(session)
  return (
    <>
      <Checklist session={session} statements={statements} nameOf={nameOf} />
      <OtherStatements session={session} statements={statements} nameOf={nameOf} />
      <Reports session={session} />
    </>
  )
}
