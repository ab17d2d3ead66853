// One member of a rule, as it is asked for.
import { ApprovalCases } from './approval-cases.view.tsx'
import {
  ActionsMember,
  ChoiceMember,
  ListMember,
  NumberMember,
  SomeMember,
  YesMember,
  type Given,
} from './plain-members.view.tsx'
import type { MemberAsked } from './rules.ts'

export function MemberField({ editing, path, asked }: Given<MemberAsked['kind']>) {
  switch (asked.kind) {
    case 'count':
    case 'eur':
      return <NumberMember editing={editing} path={path} asked={asked} />
    case 'lines':
    case 'numbers':
      return <ListMember editing={editing} path={path} asked={asked} />
    case 'yes':
      return <YesMember editing={editing} path={path} asked={asked} />
    case 'choice':
      return <ChoiceMember editing={editing} path={path} asked={asked} />
    case 'some':
      return <SomeMember editing={editing} path={path} asked={asked} />
    case 'actions':
      return <ActionsMember editing={editing} path={path} asked={asked} />
    case 'cases':
      return <ApprovalCases editing={editing} path={path} />
  }
}
