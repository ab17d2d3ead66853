// The status page: what answers this browser now and how fast, the age of the published figures, and the heads of the public log.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Problem } from '../api/send-request.ts'
import { ProblemNotice } from '../parts/answer-notices.view.tsx'
import { Button } from '../parts/button.view.tsx'
import { CopyButton } from '../parts/copy-button.view.tsx'
import { Icon } from '../parts/icon.view.tsx'
import { blocked, check, clock, info, suppressed as again } from '../parts/icons.ts'
import { showInIsland } from '../parts/island.ts'
import { formatElapsed, formatMoment } from '../text/format.ts'
import { useComponents, type Asked, type Components } from './ask-components.ts'
import { Figures } from './figures.view.tsx'
import { HeadDays } from './head-days.view.tsx'
import { bodyOf, LogHead, useHeadCheck, type HeadCheck } from './log-head.view.tsx'
import { enableSearch } from '../search/open-search.ts'

/** `asked`: no answer yet. `silent`: no answer, or a refusal. `unknown`: it answered and could not say. `degraded`: parts of it fail. */
type State = 'asked' | 'answers' | 'silent' | 'unknown' | 'degraded'

type Row = { name: string; what: string; state: State; took: number | null; problem: Problem | null }

const row = (name: string, what: string, asked: Asked<unknown> | null): Row => ({
  name,
  what,
  state: asked === null ? 'asked' : asked.answer.outcome === 'answered' ? 'answers' : 'silent',
  took: asked?.answer.outcome === 'answered' ? asked.took : null,
  problem: asked?.answer.outcome === 'refused' ? asked.answer.problem : null,
})

function rowsOf({ health, head, checkpoint, keys, accounts }: Components): Row[] {
  const service = row('Service', 'It takes requests', health)
  const body = bodyOf(health)
  const dataset = body?.dataset
  return [
    body?.status === 'degraded'
      ? { ...service, what: `These parts fail: ${body.parts.join(', ')}`, state: 'degraded' }
      : service,
    {
      ...service,
      name: 'Published figures',
      what: 'Their dates',
      problem: null,
      state: service.state === 'answers' && dataset === null ? 'unknown' : service.state,
    },
    row('Public log', 'Its newest signed head', head),
    row('Checkpoint', 'The head as witnesses sign it', checkpoint),
    row('Signing keys', 'For checking records', keys),
    row('Accounts', 'Ways to sign in', accounts),
  ]
}

/** `Public log and Accounts do not answer`. */
function silentText(names: readonly string[]): string {
  // A name that ends in "s", such as "Published figures", is a plural.
  const isOne = names.length === 1 && names[0]?.endsWith('s') === false
  return `${names.join(', ').replace(/, ([^,]+)$/, ' and $1')} ${isOne ? 'does' : 'do'} not answer`
}

const ASKING = 'Asking the service'

function headlineOf(rows: readonly Row[], headCheck: HeadCheck): string {
  if (rows.some(({ state }) => state === 'asked') || headCheck.state === 'checking') return ASKING
  const silent = rows.filter(({ state }) => state === 'silent')
  if (silent.length === rows.length) return 'Not known'
  if (headCheck.state === 'not valid') return 'The head of the public log is not valid'
  if (rows.some(({ state }) => state === 'degraded')) return 'The service cannot do all of its work'
  if (silent.length > 0) return silentText(silent.map(({ name }) => name))
  return rows.some(({ state }) => state === 'unknown')
    ? 'Published figures are not known'
    : `All ${rows.length} components answer`
}

function leadOf(rows: readonly Row[], askedAt: Date): ComponentChildren {
  const answering = rows.filter(({ state }) => state === 'answers').length
  const when = <time dateTime={askedAt.toISOString()}>{formatMoment(askedAt, false)}</time>
  if (rows.every(({ state }) => state === 'silent'))
    return <>Nothing answered on {when}. The service may be down, or this browser may have no connection.</>
  return (
    <>
      {answering === rows.length
        ? 'Asked by this browser'
        : `${answering} of ${rows.length} components answered this browser`}{' '}
      on {when}
    </>
  )
}

export function Status() {
  const [askedAt, setAskedAt] = useState(() => new Date())
  const components = useComponents(askedAt)
  const rows = rowsOf(components)
  const headCheck = useHeadCheck(components)
  const headline = headlineOf(rows, headCheck)
  return (
    <>
      <div class="row between at-end opening">
        <div>
          <h1>{headline}</h1>
          <p class="lead">{leadOf(rows, askedAt)}</p>
        </div>
        <Button onClick={() => setAskedAt(new Date())}>
          <Icon of={again} />
          Ask again
        </Button>
      </div>
      <p class="only-read" role="status">
        {headline === ASKING ? '' : headline}
      </p>
      <Rows rows={rows} />
      <HeadDays components={components} check={headCheck} />
      <div class="halves">
        <LogHead components={components} check={headCheck} />
        <div class="halves-column">
          <Figures health={components.health} />
          <ForPrograms />
        </div>
      </div>
      <p class="cannot">
        <Icon of={info} />
        <span>
          Apart from the log’s heads, this page shows what your browser reaches now, and nothing of the past. It cannot
          ask what needs a key or runs unasked: calls to models, readings, e-mail and webhooks. That something answers
          does not show that it is right.
        </span>
      </p>
    </>
  )
}

function Rows({ rows }: { rows: readonly Row[] }) {
  return (
    <section class="card flush" aria-labelledby="components">
      <div class="card-head">
        <h2 id="components">Components</h2>
        <span class="small soft">
          Response time<span class="no-narrow">. A full bar is half a second.</span>
        </span>
      </div>
      <ul class="plain components">
        {rows.map(({ name, what, state, took, problem }) => (
          <li key={name} aria-busy={state === 'asked'}>
            <div>
              <b>{name}</b>
              <span class="soft small">{what}</span>
            </div>
            <svg class="bar" aria-hidden="true">
              {took !== null && <rect width={`${Math.min(100, took / 5)}%`} height="100%" />}
            </svg>
            <span class="number">{took === null ? '' : formatElapsed(took)}</span>
            <StateBadge state={state} />
            {problem !== null && <ProblemNotice problem={problem} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

const STATES = {
  asked: { look: 'passed', icon: clock, word: 'Asked' },
  answers: { look: 'passed', icon: check, word: 'Answers' },
  silent: { look: 'blocked', icon: blocked, word: 'No answer' },
  unknown: { look: 'failed', icon: info, word: 'Not known' },
  degraded: { look: 'failed', icon: info, word: 'Degraded' },
} as const

function StateBadge({ state }: { state: State }) {
  const { look, icon, word } = STATES[state]
  return (
    <span class={`outcome ${look}`}>
      <Icon of={icon} />
      {word}
    </span>
  )
}

function ForPrograms() {
  const lines = ['/healthz', '/v1/public/transparency/sth'].map((path) => `curl ${location.origin}${path}`).join('\n')
  return (
    <section class="card flush" aria-labelledby="programs">
      <div class="card-head">
        <h2 id="programs">For programs</h2>
      </div>
      <div class="card-body">
        <div class="code">
          <div class="code-bar">
            <span class="code-title">Terminal</span>
            <CopyButton text={lines} what="the lines" />
          </div>
          <pre tabIndex={0}>
            <code>{lines}</code>
          </pre>
        </div>
      </div>
    </section>
  )
}

showInIsland(<Status />)
enableSearch()
