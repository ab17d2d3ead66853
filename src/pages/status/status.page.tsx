// The status page: what answers this browser now and how fast, the newest head of the public log, and the age of the figures.
import { useState } from 'preact/hooks'
import { bodyOf, type Problem } from '../api/send-request.ts'
import { enableSearch } from '../search/open-search.ts'
import { ProblemNotice } from '../parts/answer-notices.view.tsx'
import { Badge } from '../parts/badge.view.tsx'
import { Button } from '../parts/button.view.tsx'
import { Icon } from '../parts/icon.view.tsx'
import { blocked, check, clock, info, suppressed as again } from '../parts/icons.ts'
import { showInIsland } from '../parts/island.ts'
import { Section } from '../parts/page-blocks.view.tsx'
import { formatElapsed, formatMoment } from '../text/format.ts'
import { useComponents, type Asked, type Components } from './ask-components.ts'
import { Figures, LogHead, useHeadCheck, type HeadCheck } from './cards.view.tsx'
import { Note, OnlyRead, Pair, Row, Text } from '../parts/layout.view.tsx'
import { HeadedCard, PlainList, SignRow, WithSign } from '../parts/surfaces.view.tsx'

/** `asked`: no answer yet. `silent`: no answer, or a refusal. `degraded`: it answers that parts of it fail. */
const STATES = {
  asked: { tone: 'soft', icon: clock, word: 'Asked' },
  answers: { tone: 'soft', icon: check, word: 'Answers' },
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

export function Status() {
  const [askedAt, setAskedAt] = useState(() => new Date())
  const components = useComponents(askedAt)
  const rows = rowsOf(components)
  const headCheck = useHeadCheck(components)
  const headline = headlineOf(rows, headCheck)
  return (
    <>
      <Row isApart align="end">
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

showInIsland(<Status />)
enableSearch()
