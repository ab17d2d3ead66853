// The drawer about one call, whatever its outcome: what happened in order, its signed record checked in this browser, what it took, its
// stored content, and links to key, rule and approval.
import { useState } from 'preact/hooks'
import { exactTime } from '../../parts/times.view.tsx'
import { findEnding } from '../../../evidence/records/call-endings.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { ownMember } from '../../../platform/json.ts'
import { nameOfRegion, namePlaces } from '../../../platform/data-region.ts'
import { answered } from '../../api/send-request.ts'
import { handToVerifier } from '../../api/handed-evidence.ts'
import { useAnswer, type Loaded } from '../../api/use-answer.ts'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { Button, SignButton } from '../../parts/button.view.tsx'
import { CopyableValue, CopyButton } from '../../parts/copy-button.view.tsx'
import { Drawer, DrawerFoot } from '../../parts/dialog.view.tsx'
import { useStepKeys } from '../../parts/grid/row-keys.ts'
import { chevron, up, type IconPaths } from '../../parts/icons.ts'
import { Note, Row, Soft, Stack, Text, Title } from '../../parts/layout.view.tsx'
import { ButtonLink } from '../../parts/surfaces.view.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { Facts, Notice, Section, type Fact } from '../../parts/page-blocks.view.tsx'
import { saveFile } from '../../parts/save-button.view.tsx'
import { changeUrlParameters } from '../../parts/url-parameters.view.tsx'
import { formatCallCost, formatEuro, formatMilliseconds, formatNumber } from '../../text/format.ts'
import { PrintSource, Proofs, useReceipt, type LoadedReceipt } from '../evidence/receipt.view.tsx'
import { ProvenRecord, SignedRecord } from '../evidence/signed-record.view.tsx'
import type { KeyNames } from '../key-and-person-names.view.tsx'
import { callApi, hasPermission, inOrganisation, linkForOthers } from '../session.ts'
import { answerScanText } from './answer-scan-text.ts'
import { CallIncident, KeptContent } from './call-content.view.tsx'
import { CallTimeline } from './call-timeline.view.tsx'
import { costOf, whyOf, type ListedCall } from './call-columns.tsx'
import { waitingOf } from './waiting-call.ts'
import { ruleName } from '../../text/rule-names.ts'
import { providerLabel } from '../../text/provider-label.ts'
import { isRecordId, openedBy } from './call-address.ts'
import { dayFromToday } from '../../text/day.ts'

type Props = {
  /** The id of the call's record. */
  id: string
  /** The call's leaf index in the log, as the URL has it, or ''. */
  leaf: string
  /** The calls of the list that are loaded. */
  calls: readonly ListedCall[]
  /** How many calls the list has in all; null if that is not known. */
  count: number | null
  /** True if the list is of medical receipts, whose proofs are read by another route. */
  isReceipt: boolean
  keyNames: KeyNames
  /** True if the caller may read all calls with their proofs. */
  isWhole: boolean
  onClose: () => void
}

export function CallDrawer(props: Props) {
  const { id, calls, count, isWhole, onClose } = props
  const at = calls.findIndex((call) => call.id === id)
  const listed = calls[at]
  return (
    <Drawer
      title={listed === undefined ? 'Call' : `Call, ${exactTime(listed.created_at)}`}
      head={<Steps calls={calls} at={at} count={count} />}
      about={id}
      onClose={onClose}
    >
      {isWhole && isRecordId(id) ? <WholeCall key={id} {...props} /> : <RecentCall key={id} {...props} />}
    </Drawer>
  )
}

/** Opens another call of the list in the place of this one. */
function stepTo(call: ListedCall | undefined): void {
  if (call !== undefined) changeUrlParameters(openedBy(call))
}

/** Buttons to the newer and the older call of the list, and a link to this one. */
function Steps({ calls, at, count }: Pick<Props, 'calls' | 'count'> & { at: number }) {
  useStepKeys((by) => stepTo(at < 0 ? undefined : calls[at + by]))
  return (
    <>
      {at >= 0 && (
        <>
          <Step label="Newer call" keys="K" icon={up} to={calls[at - 1]} />
          <Step label="Older call" keys="J" icon={chevron} to={calls[at + 1]} />
          <Note isNumber>
            {formatNumber(at + 1)} of {formatNumber(Math.max(count ?? 0, calls.length))}
          </Note>
        </>
      )}
      <CopyButton text={linkForOthers(location.href)} what="to this call" label="Copy link" />
    </>
  )
}

const Step = ({ to, ...given }: { label: string; keys: string; icon: IconPaths; to: ListedCall | undefined }) => (
  <SignButton {...given} isFramed isDisabled={to === undefined} onClick={() => stepTo(to)} />
)

/** A call of a list without proofs: what the list says, and its signed record. */
function RecentCall({ id, calls, keyNames }: Props) {
  const listed = calls.find((call) => call.id === id)
  if (listed === undefined) return <NoCall />
  const { record = null, outcome, ending = null } = listed
  return (
    <>
      <CallHead call={listed} />
      <CallTimeline call={listed} receipt={null} keyNames={keyNames} />
      {record !== null && <SignedRecord {...{ id, record, outcome, ending }} />}
      <CallFacts call={listed} keyNames={keyNames} />
      {record !== null && <Acts name={`record-${id}.json`} isComing={false} text={JSON.stringify(record, null, 2)} />}
    </>
  )
}

function WholeCall({ id, leaf, calls, isReceipt, keyNames }: Props) {
  const listed = calls.find((call) => call.id === id) ?? null
  const found = useCall({ id, leaf, listed, isReceipt })
  const [loaded, again] = useReceipt(isReceipt ? '/api/health/receipts' : '/api/calls', id)
  const call = found.state === 'answered' ? found.body : null
  const evidence = loaded.state === 'answered' ? loaded.body : null
  if (loaded.state === 'refused' && loaded.problem.code === 'not_found') return <NoCall />
  const isReading = loaded.state === 'loading'
  if (found.state === 'loading' || (call === null && isReading)) return <Skeleton lines={30} />
  const shown = call ?? (evidence && listedOf(evidence))
  const compared = isListedCall(call) ? call : null
  return (
    <>
      {shown !== null && <CallHead call={shown} />}
      {shown !== null && (
        <CallTimeline call={shown} receipt={evidence?.receipt ?? null} isReading={isReading} keyNames={keyNames} />
      )}
      {loaded.state === 'refused' && <RefusalNotice problem={loaded.problem} onRetry={again} />}
      {loaded.state !== 'refused' && <ProvenRecord evidence={evidence} call={compared} />}
      {shown !== null && <CallFacts call={shown} keyNames={keyNames} />}
      {isReading && <Skeleton lines={14} />}
      {evidence !== null && (
        <>
          <Proofs receipt={evidence.receipt} />
          <KeptContent id={id} isKept={hasContent(evidence)} />
          {hasPermission('audit:read') && <CallIncident trace={evidence.receipt.trace_id} />}
          <PrintSource
            hash={evidence.receipt.organisation_log.proof.leaf_hash}
            what="the entry in the organisation’s log"
          />
        </>
      )}
      <Acts name={`${isReceipt ? 'receipt' : 'call'}-${id}.json`} isComing={isReading} text={evidence?.text ?? null} />
    </>
  )
}

/** True if the content was stored: the call's settlement then has its hash. */
const hasContent = ({ receipt: { settlement } }: LoadedReceipt): boolean =>
  settlement !== null && settlement.content['content'] !== undefined

/** True for a call of the list of calls, which says all that can be compared with its record. */
const isListedCall = (call: ListedCall | null): call is Call => call?.object === 'call'

/** What the record with its proofs says of a call that no list has loaded. */
function listedOf({ receipt }: LoadedReceipt): ListedCall | null {
  const { id, created_at: at, outcome, model, use_case: useCase } = receipt
  if (at === null || outcome === null || model === null) return null
  return { id, created_at: at, outcome, model, use_case: useCase, provider: receipt.provider }
}

const NOTHING = '–'

/** Its model and time, then four facts: how it ended and why, its cost, its tokens, its duration. Then what that means, and what can be done. */
function CallHead({ call }: { call: ListedCall }) {
  const { outcome, ending = null, created_at: at, model, use_case: useCase, rule = null, approval = null } = call
  const { input_tokens: given = null, output_tokens: got = null, response_ms: ms = null } = call
  const cost = costOf(call)
  return (
    <>
      <Stack gap={2}>
        <Note as="p">
          <time dateTime={at}>{exactTime(at)}</time>
        </Note>
        <Title as="h3">
          <Text isOneLine>{model}</Text>
          {useCase !== null && ` for ${useCase}`}
        </Title>
      </Stack>
      <Facts
        facts={[
          [
            'Outcome',
            <>
              <OutcomeBadge outcome={outcome} ending={ending} /> <Note>{whyOf(call)}</Note>
            </>,
          ],
          [
            'Cost',
            cost === null ? NOTHING : `${formatCallCost(cost)}${call.cost_estimated === true ? ', estimated' : ''}`,
          ],
          ['Tokens', got === null ? NOTHING : `${formatNumber(given ?? 0)} in, ${formatNumber(got)} out`],
          ['Took', ms === null ? NOTHING : formatMilliseconds(ms)],
        ]}
      />
      <Stack gap={2}>
        <Soft as="p">{meaningOf(call)}</Soft>
        <Row as="p" isOffPaper>
          {approval !== null && (
            <ButtonLink href={inOrganisation(`/app/approvals?id=${encodeURIComponent(approval.id)}`)}>
              {approval.state === 'pending' ? 'Review the request' : 'See the request'}
            </ButtonLink>
          )}
          {rule !== null && (
            <ButtonLink href={inOrganisation(`/app/policies#${encodeURIComponent(rule)}`)}>See the rule</ButtonLink>
          )}
        </Row>
      </Stack>
    </>
  )
}

/** The causes of a blocked call that are no rule of the policy, by their reason. */
const OTHER_CAUSES = {
  model_not_allowed_by_tier: 'Refused by the tier.',
  model_not_allowed_by_provider: 'Refused because its provider is not enabled.',
}

function blockedBy({ outcome, rule = null, reason }: ListedCall): string | null {
  if (outcome !== 'blocked' || rule === null) return null
  return ownMember(OTHER_CAUSES, reason ?? '') ?? `Refused by the rule “${ruleName(rule)}”.`
}

const PASSED = 'Your policy let it pass, and it was sent.'

/** A list of medical receipts does not say how a call ended. Why one failed is told beside its outcome. */
function meaningOf(call: ListedCall): string {
  const { outcome, ending } = call
  const means = waitingOf(call)?.means ?? blockedBy(call) ?? findEnding(ending ?? outcome)?.means
  if (outcome === 'passed') return ending === 'failed' ? PASSED : (means ?? PASSED)
  return `${means ?? 'Your policy held it for a person.'} Nothing was sent.`
}

const routedTo = (host: string, places: readonly string[] | null): string =>
  places === null ? `${host}; its provider names no place` : `${host}, in ${namePlaces(places)}`

function CallFacts({ call, keyNames }: { call: ListedCall; keyNames: KeyNames }) {
  const { key_id: key, cost_prevented_eur: prevented, cached_input_tokens: cached, reasoning_tokens: reasoning } = call
  const facts: (Fact | null)[] = [
    key == null ? null : ['Key', <a href={inOrganisation(`/app/keys?id=${key}`)}>{keyNames.get(key) ?? key}</a>],
    known('Cost prevented, an estimate', prevented === 0 || waitingOf(call) !== null ? null : prevented, formatEuro),
    known('Tokens from a provider’s cache', cached === 0 ? null : cached, formatNumber),
    known('Tokens of reasoning', reasoning === 0 ? null : reasoning, formatNumber),
    known('Provider', call.provider, providerLabel),
    known('Routed to', call.host, (host) => routedTo(host, call.places ?? null)),
    known('Data region', call.data_region, nameOfRegion),
    known('Further model asked', call.other_model, String),
    known('Answered by', call.served_model, String),
    known('Answer', call.answer_scan, (scan) => answerScanText(scan, call.policy_applied, call.ending)),
    known('Finish reason', call.finish_reason, String),
    known('Comparison group', call.cohort, String),
    known('Trace', call.trace_id, (id) => <CopyableValue value={id} what="the trace id" />),
    known('Request', call.request_id, (id) => <CopyableValue value={id} what="the request id" />),
    ['Record', <CopyableValue value={call.id} what="the id of the record" />],
  ]
  return (
    <Section title="Details" level={3}>
      <Facts facts={facts.filter((fact) => fact !== null)} />
    </Section>
  )
}

const known = <T,>(name: string, value: T | null | undefined, show: (value: T) => Fact[1]): Fact | null =>
  value == null ? null : [name, show(value)]

/** The foot of the drawer: the record as a file, and the page that checks it. @param text null if it is not there */
function Acts({ name, isComing, text }: { name: string; isComing: boolean; text: string | Blob | null }) {
  const [isSaved, setSaved] = useState(false)
  const save = (): void => {
    if (text === null) return
    saveFile({ name, content: new Blob([text]) })
    setSaved(true)
  }
  const hand = async (): Promise<void> => {
    if (text !== null) handToVerifier({ name, text: typeof text === 'string' ? text : await text.text() })
  }
  return (
    <DrawerFoot>
      <Button isDisabled={text === null} onClick={save}>
        Save as JSON
      </Button>
      <Button isDisabled={text === null} onClick={() => void hand()}>
        Open in Verify
      </Button>
      <Button onClick={() => print()}>Print</Button>
      <Note role="status">{isComing ? 'Reading the record …' : isSaved && 'Saved'}</Note>
    </DrawerFoot>
  )
}

const NoCall = () => (
  <Notice role="status" title="No call has this id">
    It is not the id of a call of this list or organisation. Check the link that led here.
  </Notice>
)

/** The longest time, in days, for which any tier stores the details of a call. */
const LONGEST_DAYS = 7 * 365

const POSITION = /^(?:0|[1-9]\d{0,13})$/

type Wanted = Pick<Props, 'id' | 'leaf' | 'isReceipt'> & { listed: ListedCall | null }

/** Loads the call by its log index in the URL, where the list has not loaded it. */
function useCall({ id, leaf, listed, isReceipt }: Wanted): Loaded<ListedCall | null> {
  const isAsked = listed === null && !isReceipt && POSITION.test(leaf)
  const [loaded] = useAnswer<ListedCall | null>(
    async (signal) => {
      if (!isAsked) return answered(null)
      const query = { start: dayFromToday(-LONGEST_DAYS), cursor: Number(leaf) + 1, limit: 1 }
      const answer = await callApi<List<Call>>('GET', '/api/calls', { query, signal })
      if (answer.outcome === 'refused') return answer
      return answered(answer.body.data.find((call) => call.id === id) ?? null)
    },
    [id, leaf, isAsked],
  )
  return listed === null ? loaded : { state: 'answered', body: listed }
}
