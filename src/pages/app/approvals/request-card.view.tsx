// One approval: a request that waits, with all that is known of it and what decides about it, or what was decided.
import { exactTime } from '../../parts/times.view.tsx'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type Permission, may } from '../../../accounts/access/roles.policy.ts'
import type { NamedApprovalWithRecords } from '../../../organisation/approvals/approval-response.schema.ts'
import type { Policy } from '../../../management/policies/policies.schema.ts'
import type { Provider } from '../../../management/providers.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import type { Problem } from '../../api/send-request.ts'
import { useLastAnswer } from '../../api/use-answer.ts'
import { Answered, ProblemNotice } from '../../parts/answer-notices.view.tsx'
import { CopyButton } from '../../parts/copy-button.view.tsx'
import { Pair, Stack, Text } from '../../parts/layout.view.tsx'
import { Facts, factsIf, type Fact } from '../../parts/page-blocks.view.tsx'
import { SubjectHead } from '../../parts/subject-head.view.tsx'
import { CardBody, CardFoot, PartsCard } from '../../parts/surfaces.view.tsx'
import { isWithin, nameOfRegion } from '../../../platform/data-region.ts'
import { placeNames } from '../../text/id-labels.ts'
import { providerLabel } from '../../text/provider-label.ts'
import { formatBytes, formatEuro, plural } from '../../text/format.ts'
import { KeyName, type People } from '../key-and-person-names.view.tsx'
import { ruleName } from '../../text/rule-names.ts'
import { countedShapes } from '../../text/shape-names.ts'
import { hasPermission, inOrganisation, linkForOthers, useApi, useApiIf, session } from '../session.ts'
import { isOwn, whyCannotDecide, type Approval, approvalsGiven, makerOf } from './approval-words.ts'
import { DecideRequest, type RecordedDecision } from './decide-request.view.tsx'
import { DecidedRequest, idFacts, type NextRequest } from './decided-request.view.tsx'
import { StateBadge } from './state-badge.view.tsx'
import { FromTo, Person } from '../../parts/faces.view.tsx'
import { key as keySign, people as peopleSign } from '../../parts/icons.ts'

const NO_APPROVAL = { not_found: 'This organisation has no request with this id.' }

type CardProps = {
  id: string
  people: People
  /** True if a person has chosen it, so that the keyboard continues there. */
  isChosen: boolean
  /** The number of decisions made here and of returns to the page. A change loads the approval again. */
  made: number
  /** The decision about it that was made here; null if there was none. */
  own: RecordedDecision | null
  next: NextRequest
  onDecided: (made: RecordedDecision) => void
  onTooLate: () => void
}

export function RequestCard({ id, made, ...shown }: CardProps) {
  const read = useApi<NamedApprovalWithRecords>(`/api/approvals/${encodeURIComponent(id)}`, {}, [made])
  const last = useLastAnswer(read)
  // After a decision here, the request of before would ask for it again.
  const answer = shown.own === null ? last : read
  const [providers, again] = useApi<List<Provider>>('/api/providers')
  const [tooLate, setTooLate] = useState<Problem | null>(null)
  return (
    <PartsCard label="Request">
      {/* The places come with the rest, because a late line would push the parts below it down. */}
      <Answered answer={providers.state === 'loading' ? [providers, again] : answer} lines={28} words={NO_APPROVAL}>
        {(approval) => (
          <>
            <SubjectHead
              key={approval.state}
              badge={<StateBadge state={approval.state} />}
              moment={momentText(approval)}
              title={<AskedFor of={approval} />}
              about={approval.state !== 'pending' && <Text as="p">Use case {useCaseOf(approval)}</Text>}
              isOpened={shown.isChosen || shown.own !== null}
            >
              {/* A waiting request of an own key has the link in its foot. */}
              {!(approval.state === 'pending' && isOwn(approval)) && (
                <CopyButton text={linkTo(approval)} label="Copy link" what="to this request" />
              )}
            </SubjectHead>
            {tooLate !== null && (
              <CardBody>
                <ProblemNotice problem={tooLate} />
              </CardBody>
            )}
            {approval.state === 'pending' ? (
              <Waiting
                {...shown}
                of={approval}
                providers={providers.state === 'answered' ? providers.body.data : []}
                onTooLate={(problem) => {
                  setTooLate(problem)
                  shown.onTooLate()
                }}
              />
            ) : (
              <DecidedRequest {...shown} of={approval} />
            )}
          </>
        )}
      </Answered>
    </PartsCard>
  )
}

/** The program that asks, by the name of its key, and the model. */
const AskedFor = ({ of: { key_id: key, key_name: name, model, state } }: { of: Approval }) => (
  <>
    Key{' '}
    <LinkIf permission="keys:read" to={`/app/keys?id=${key}`}>
      <KeyName id={key} name={name} />
    </LinkIf>{' '}
    {state === 'pending' ? 'asks' : 'asked'} for {model}
  </>
)

const linkTo = ({ id }: Approval): string => linkForOthers(`/app/approvals?id=${id}`)

function momentText({ state, expires_at: until, ended_at: ended, decisions }: Approval): string {
  if (state === 'pending') return `Expires ${exactTime(until)}`
  return exactTime(ended ?? decisions.at(-1)?.decided_at ?? until)
}

type WaitingProps = Omit<CardProps, 'id' | 'made' | 'isChosen' | 'onTooLate'> & {
  of: NamedApprovalWithRecords
  providers: readonly Provider[]
  onTooLate: (problem: Problem) => void
}

function Waiting({ of, providers, people, own, next, onDecided, onTooLate }: WaitingProps) {
  const why = whyCannotDecide(of)
  return (
    <>
      <CardBody isStack>
        <FourEyes of={of} people={people} />
        <Pair>
          <Stack>
            <Facts facts={heldFacts(of)} />
          </Stack>
          <Stack>
            <Facts facts={sendFacts(of)} />
          </Stack>
        </Pair>
        <Facts facts={[goesTo(of, providers), ...idFacts(of)]} />
      </CardBody>
      {why === null && <DecideRequest of={of} onDecided={onDecided} onTooLate={onTooLate} />}
      {why !== null && of.decisions.length === 0 && isOwn(of) && <AskOthers of={of} people={people} />}
      {why !== null && of.decisions.length === 0 && !isOwn(of) && <CardFoot>{why}</CardFoot>}
      {why !== null && of.decisions.length > 0 && <DecidedRequest of={of} own={own} next={next} why={why} />}
    </>
  )
}

/** The way on for a request of an own key: the link for those who may decide. */
const AskOthers = ({ of, people }: Pick<WaitingProps, 'of' | 'people'>) => (
  <CardFoot look="row bar">
    <CopyButton look="first" text={linkTo(of)} label="Copy link" what="to this request" />
    <Text size="small">Send it to {listed(otherDeciders(of, people)) || 'another person who may approve'}.</Text>
  </CardFoot>
)

/** A link for those who may see where it leads; the same words for others. */
const LinkIf = ({ permission, to, children }: { permission: Permission; to: string; children: ComponentChildren }) =>
  hasPermission(permission) ? <a href={inOrganisation(to)}>{children}</a> : <>{children}</>

const heldFacts = (of: NamedApprovalWithRecords): readonly Fact[] => [
  ['Asked', exactTime(of.created_at)],
  ['Content', `${of.facts.content_kinds.join(', ') || 'No content'}, ${formatBytes(of.facts.bytes)}`],
  ['Identifiers found', of.facts.found === null ? <NotCounted of={of} /> : foundText(of.facts.found)],
  [
    'Held by',
    <>
      <LinkIf permission="policies:read" to={`/app/policies?version=${of.policy_version}`}>
        {ruleName('human_approval')}
      </LinkIf>
      , policy version {of.policy_version}
    </>,
  ],
]

/** The scan reads no picture and no file, and counts only what the policy does not ignore. */
const foundText = (found: NonNullable<Approval['facts']['found']>): string =>
  countedShapes(found) || 'None that the policy searches its text for'

/** Says why there is no count, to those who may read the policy that held the request. */
function NotCounted({ of }: { of: Approval }) {
  const [read] = useApiIf<Policy>(hasPermission('policies:read'), '/api/policies')
  const policy = read.state === 'answered' && read.body?.version === of.policy_version ? read.body.document : null
  if (policy === null) return <>No count is kept</>
  return (
    <>{policy.pii_scan === undefined ? 'Not searched: the policy has no such rule' : 'Held before counts were kept'}</>
  )
}

const useCaseOf = ({ use_case: useCase }: Approval): string => useCase ?? 'not declared'

const sendFacts = (of: NamedApprovalWithRecords): readonly Fact[] => [
  ['Use case', useCaseOf(of)],
  ['Data region', nameOfRegion(of.facts.data_region)],
  ['Costs at most', formatEuro(of.facts.most_cost_eur)],
  ...factsIf(of.facts.other_models.length > 0, ['Or to', of.facts.other_models.join(', ')]),
]

/** The provider and the places that it may route the text to. Another provider that serves the models may be sent it next, if it is on. */
function goesTo({ model, facts }: NamedApprovalWithRecords, providers: readonly Provider[]): Fact {
  const wanted = new Set([model, ...facts.other_models])
  const routes = providers.flatMap(({ id: provider, models }) =>
    models
      .filter(({ id }) => wanted.has(id))
      .flatMap((one) => one.routes)
      .filter((route) => route.configured && isWithin(route.data_region, facts.data_region))
      .map((route) => ({ provider, route })),
  )
  const first = routes.filter(({ provider }) => provider === facts.provider)
  const places = placeNames(first.map(({ route }) => route)).join(', or ')
  return [
    first.length < routes.length ? 'Goes first to' : 'Goes to',
    `${providerLabel(facts.provider)}${places && `, routed to ${places}`}${facts.stream ? ', streamed' : ''}`,
  ]
}

type Props = { of: Approval; people: People }

function FourEyes({ of, people }: Props) {
  const mayDecide = whyCannotDecide(of) === null
  const others = otherDeciders(of, people)
  return (
    <FromTo
      from={<Maker of={of} />}
      to={
        <Person
          name={mayDecide ? session().user.name : (others[0] ?? null)}
          icon={peopleSign}
          isYou={mayDecide}
          called={mayDecide ? session().user.name : listed(others) || 'Somebody else'}
        >
          {mayDecide && others.length > 0 && `or ${listed(others)} `}
          may decide. {neededText(of)}
        </Person>
      }
    />
  )
}

function Maker({ of }: Pick<Props, 'of'>) {
  const { user } = session()
  const maker = makerOf(of)
  const isYou = maker?.id === user.id
  const isOperator = maker?.id === 'operator'
  const name = isYou ? user.name : (maker?.name ?? null)
  return (
    <Person name={name} icon={keySign} isYou={isYou} called={isOperator ? 'The operator' : (name ?? 'A member')}>
      made the key{isOperator ? '.' : ', and cannot decide.'}
    </Person>
  )
}

/** The names of other members who may decide about it, as far as this person sees the members. */
function otherDeciders(of: Approval, { members }: People): readonly string[] {
  const { user } = session()
  return members
    .filter(({ id, role }) => id !== user.id && id !== of.key_person?.id && may(role, 'approvals:decide'))
    .filter(({ id }) => !of.decisions.some((one) => one.decided_by === id && one.counts))
    .map(({ name }) => name)
}

const MOST_NAMED = 2

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  if (more > 0) return `${names.slice(0, MOST_NAMED).join(', ')} or ${plural(more, 'other')}`
  return names.join(' or ')
}

function neededText(of: Approval): string {
  if (of.approvals_required === 1) return 'One approval is needed.'
  return `Two people must approve: ${approvalsGiven(of)} of 2 so far.`
}
