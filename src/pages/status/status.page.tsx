// The status page: what answers this browser now and how fast, the newest head of the public log, and the age of the figures.
import { useState, useLayoutEffect } from 'preact/hooks'
import { bodyOf, type Problem } from '../api/send-request.ts'
import { enableSearch } from '../search/open-search.ts'
import { ProblemNotice, Skeleton } from '../parts/answer-notices.view.tsx'
import { Badge } from '../parts/badge.view.tsx'
import { Button } from '../parts/button.view.tsx'
import { Icon } from '../parts/icon.view.tsx'
import { blocked, check as checked, clock, info, suppressed as again } from '../parts/icons.ts'
import { showInIsland } from '../parts/island.ts'
import { Section, Facts } from '../parts/page-blocks.view.tsx'
import { formatElapsed, formatMoment, formatDay, formatRelative, plural } from '../text/format.ts'
import { useComponents, type Asked, type Components } from './ask-components.ts'
import { Note, OnlyRead, Pair, Row, Text, Hash } from '../parts/layout.view.tsx'
import { HeadedCard, PlainList, SignRow, WithSign } from '../parts/surfaces.view.tsx'
import type { PublishedKeyHistory } from '../../evidence/records/attestation.schema.ts'
import { KEY_LIST_FAULTS, readKeyList } from '../../evidence/records/key-list.ts'
import { HEAD_FAULTS, verifyHead, type PublicHead } from '../../evidence/records/tree-head.ts'
import { CopyButton } from '../parts/copy-button.view.tsx'
import { DAY_MS } from '../text/day.ts'

/** `asked`: no answer yet. `silent`: no answer, or a refusal. `degraded`: it answers that parts of it fail. */
const STATES = {
  asked: { tone: 'soft', icon: clock, word: 'Asked' },
  answers: { tone: 'soft', icon: checked, word: 'Answers' },
  silent: { tone: 'bad', icon: blocked, word: 'No answer' },
  degraded: { tone: 'warn', icon: info, word: 'Degraded' },
} as const

type Component = {
  name: string
  what: string
  state: keyof typeof STATES
  took: number | null
  problem: Problem | null
}

function row(name: string, what: string, asked: Asked<unknown> | null): Component {
  if (asked === null) return { name, what, state: 'asked', took: null, problem: null }
  const { answer, took } = asked
  return answer.outcome === 'answered'
    ? { name, what, state: 'answers', took, problem: null }
    : { name, what, state: 'silent', took: null, problem: answer.problem }
}

function rowsOf({ health, head, checkpoint, keys, accounts }: Components): Component[] {
  const service = row('Service', 'It takes requests', health)
  const body = bodyOf(health?.answer)
  return [
    body?.status === 'degraded'
      ? { ...service, what: `These parts fail: ${body.parts.join(', ')}`, state: 'degraded' }
      : service,
    row('Public log', 'Its newest signed head', head),
    row('Checkpoint', 'The head as witnesses sign it', checkpoint),
    row('Signing keys', 'For checking records', keys),
    row('Accounts', 'Ways to sign in', accounts),
  ]
}

const ASKING = 'Asking the service'
const NOTHING = 'Nothing answers'

function headlineOf(rows: readonly Component[], headCheck: HeadCheck): string {
  if (rows.some(({ state }) => state === 'asked') || headCheck.state === 'checking') return ASKING
  const silent = rows.filter(({ state }) => state === 'silent').map(({ name }) => name)
  if (silent.length === rows.length) return NOTHING
  if (headCheck.state === 'not valid') return 'The head of the public log is not valid'
  if (rows.some(({ state }) => state === 'degraded')) return 'The service cannot do all of its work'
  return silent.length > 0 ? `No answer: ${silent.join(', ')}` : `All ${rows.length} components answer`
}

function Status() {
  const [askedAt, setAskedAt] = useState(() => new Date())
  const components = useComponents(askedAt)
  const rows = rowsOf(components)
  const headCheck = useHeadCheck(components)
  const headline = headlineOf(rows, headCheck)
  return (
    <>
      <Row isApart>
        <div>
          <h1>{headline}</h1>
          <Text as="p" size="lead">
            {rows.filter(({ took }) => took !== null).length} of {rows.length} components answered this browser on{' '}
            <time dateTime={askedAt.toISOString()}>{formatMoment(askedAt, false)}</time>.
            {headline === NOTHING && ' The service may be down, or this browser may have no connection.'}
          </Text>
        </div>
        <Button onClick={() => setAskedAt(new Date())}>
          <Icon of={again} />
          Ask again
        </Button>
      </Row>
      <OnlyRead as="p" role="status">
        {headline === ASKING ? '' : headline}
      </OnlyRead>
      <HeadedCard title="Components" isList>
        <PlainList>
          {rows.map((one) => (
            <ComponentRow key={one.name} {...one} />
          ))}
        </PlainList>
      </HeadedCard>
      <Pair>
        <Section title="Head of the public log" isCard>
          <LogHead {...components} check={headCheck} />
        </Section>
        <Section title="Published figures" isCard>
          <Figures {...components} />
        </Section>
      </Pair>
      <Note as="div">
        <WithSign icon={info}>
          This page shows what your browser reaches now, and nothing of the past. It cannot ask what needs a key or runs
          unasked: calls to models, readings, e-mail and webhooks. That something answers does not show that it is
          right.
        </WithSign>
      </Note>
    </>
  )
}

function ComponentRow({ name, what, state, took, problem }: Component) {
  const { tone, icon, word } = STATES[state]
  return (
    <SignRow
      isBusy={state === 'asked'}
      title={<b>{name}</b>}
      about={
        <>
          {what}
          {took !== null && ` · ${formatElapsed(took)}`}
          {problem !== null && <ProblemNotice problem={problem} />}
        </>
      }
    >
      <span>
        <Badge tone={tone} icon={icon}>
          {word}
        </Badge>
      </span>
    </SignRow>
  )
}

/** `unknown`: the head or the keys did not answer. */
type HeadCheck = { state: 'unknown' | 'checking' | 'valid' } | { state: 'not valid'; fault: string }

/** Checks the head after the answers are drawn, because a slow processor takes long for it. */
function useHeadCheck({ head, keys }: Components): HeadCheck {
  const [read, list] = [bodyOf(head?.answer), bodyOf(keys?.answer)]
  const [done, setDone] = useState<{ of: typeof read; by: typeof list; fault: string | null } | null>(null)
  useLayoutEffect(() => {
    if (read === null || list === null) return undefined
    const timer = setTimeout(() => setDone({ of: read, by: list, fault: findHeadFault(read, list) }))
    return () => clearTimeout(timer)
  }, [read, list])
  if (read === null || list === null) return { state: 'unknown' }
  if (done?.of !== read || done.by !== list) return { state: 'checking' }
  return done.fault === null ? { state: 'valid' } : { state: 'not valid', fault: done.fault }
}

/** Returns why no published key has signed the head; null if one has. It runs countersign-verify's own code. */
function findHeadFault(head: PublicHead, keys: PublishedKeyHistory): string | null {
  const list = readKeyList(keys)
  if (!list.ok) return KEY_LIST_FAULTS[list.fault]
  const verdict = verifyHead(head, { keys: [], list: list.keys })
  if (!verdict.valid) return HEAD_FAULTS[verdict.fault]
  return verdict.orgId === null ? null : 'It is the head of the log of an organisation.'
}

function LogHead({ head, keys, check }: Components & { check: HeadCheck }) {
  const read = bodyOf(head?.answer)
  if (head === null || keys === null || check.state === 'checking') return <Skeleton lines={8} />
  if (read === null) return <p>Not known: the log did not answer.</p>
  const signed = new Date(read.timestamp)
  return (
    <Facts
      facts={[
        ['Signature', <Signature of={check} />],
        [
          'Signed',
          <>
            <time dateTime={read.timestamp}>{formatMoment(signed, false)}</time>, {formatRelative(signed, head.at)}
          </>,
        ],
        ['Size', plural(read.tree_size, 'entry', 'entries')],
        [
          'Root hash',
          <>
            <Hash title={read.root_hash}>
              {read.root_hash.slice(0, 20)}…{read.root_hash.slice(-8)}
            </Hash>{' '}
            <CopyButton text={read.root_hash} what="the whole root hash" />
          </>,
        ],
        [
          'Key',
          <>
            <Hash>{read.key_id}</Hash> <Note>{bodyOf(keys?.answer)?.note}</Note>
          </>,
        ],
      ]}
    />
  )
}

/** Green only after the check: the head is one that a key of the list has signed. */
function Signature({ of }: { of: HeadCheck }) {
  const [tone, word, why] =
    of.state === 'valid'
      ? (['good', 'Valid', 'Checked in this browser, by the keys that the service publishes.'] as const)
      : of.state === 'not valid'
        ? (['bad', 'Not valid', of.fault] as const)
        : ([undefined, 'Not checked', 'The signing keys did not answer.'] as const)
  return (
    <>
      <Badge tone={tone}>{word}</Badge> <Text size="small">{why}</Text>
    </>
  )
}

function Figures({ health }: Components) {
  const body = bodyOf(health?.answer)
  if (health === null) return <Skeleton lines={2} />
  if (body === null) return <p>Not known while the service does not answer.</p>
  if (body.dataset === null) return <p>No figures are published, or the storage did not say in time which.</p>
  const { archiveDate, publishedOn } = body.dataset
  const age = Math.floor((health.at.getTime() - new Date(archiveDate).getTime()) / DAY_MS)
  return (
    <Facts
      facts={[
        ['Age', `${plural(age, 'day')} since the day they count`],
        ['Archive date', formatDay(archiveDate)],
        ['Published', formatDay(publishedOn)],
      ]}
    />
  )
}

showInIsland(<Status />)
enableSearch()
