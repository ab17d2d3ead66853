// Vite plugin that makes the page /tiers from the code that enforces tiers and limits (tier-rows.ts): a table of all tiers, and in a
// narrow window a card for each with what it has beside the one before.
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import { rolesWith } from '../../src/accounts/access/roles.policy.ts'
import { tierName } from '../../src/pages/text/id-labels.ts'
import { TIERS, type Tier } from '../../src/policies/tier.policy.ts'
import { escapeHtml } from './escape-html.ts'
import { changedBy, COMMON_LIMITS, FIRST_WITH_ALL, TIER_GROUPS, type TierRow } from './tier-rows.ts'

export const TIER_PAGE = 'tiers.html'

/** Returns the plugin. @param root the folder of the pages, which has no file of this one */
export function tierPage(root: string): Plugin {
  const file = resolve(root, TIER_PAGE)
  return {
    name: 'tier-page',
    enforce: 'pre',
    resolveId: (id) => (id === file ? id : null),
    load: (id) => (id === file ? tierHtml() : null),
  }
}

const PURPOSES: Readonly<Record<Tier, string>> = {
  free: 'To try it',
  starter: 'For one team',
  pro: 'For many programs',
  healthcare: 'Medical receipts',
  enterprise: 'Own limits',
}

/** How one gets the tier. */
const wayTo = (tier: Tier): string =>
  tier === 'free'
    ? '<a class="button" href="/sign-up">Get started</a>'
    : `<a class="button" href="#change">How to ask<span class="only-read"> for ${tierName(tier)}</span></a>`

const mark = (tier: Tier): string => (tier === FIRST_WITH_ALL ? ' class="whole"' : '')

const CELLS = {
  true: '<!-- icon:check --><span class="only-read">Yes</span>',
  false: '<span class="soft" aria-hidden="true">–</span><span class="only-read">No</span>',
} as const

function cellHtml(cell: string | boolean): string {
  if (typeof cell === 'boolean') return CELLS[`${cell}`]
  const [value = '', condition] = cell.split(', or ')
  return condition === undefined
    ? escapeHtml(cell)
    : `${escapeHtml(value)}<div class="small soft">or ${escapeHtml(condition)}</div>`
}

const rowHtml = ({ name, cellOf }: TierRow): string =>
  `<tr><th scope="row">${escapeHtml(name)}</th>${TIERS.map((tier) => `<td${mark(tier)}>${cellHtml(cellOf(tier))}</td>`).join('')}</tr>`

const tableHtml = (): string => `<div class="table no-narrow">
        <table class="tiers">
          <caption class="only-read">What each tier has</caption>
          <thead class="nowrap">
            <tr><td></td>${TIERS.map((tier) => `<th scope="col"${mark(tier)}><div class="subject">${tierName(tier)}</div><div class="small soft">${PURPOSES[tier]}</div></th>`).join('')}</tr>
            <tr><td></td>${TIERS.map((tier) => `<td${mark(tier)}>${wayTo(tier)}</td>`).join('')}</tr>
          </thead>
          ${TIER_GROUPS.map(
            ({ title, rows }) => `<tbody>
            <tr class="group"><th colspan="${TIERS.length + 1}" scope="rowgroup">${escapeHtml(title)}</th></tr>
            ${rows.map(rowHtml).join('\n            ')}
          </tbody>`,
          ).join('\n          ')}
        </table>
      </div>`

function cardHtml(tier: Tier): string {
  const before = TIERS[TIERS.indexOf(tier) - 1]
  const name = tierName(tier)
  return `<section class="card stack-s" aria-labelledby="${tier}">
          <div class="row between"><h2 class="title" id="${tier}">${name}</h2> ${wayTo(tier)}</div>
          <p class="soft small">${PURPOSES[tier]}.${before === undefined ? '' : ` Compared with ${tierName(before)}:`}</p>
          <ul class="plain stack-s">
            ${changedBy(tier)
              .map(
                ({ text, isLess }) =>
                  `<li class="with-sign"><!-- icon:${isLess ? 'minus' : 'check'} --><span>${escapeHtml(text)}</span></li>`,
              )
              .join('\n            ')}
          </ul>
        </section>`
}

const FACTS = COMMON_LIMITS.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`)

const MAY_ASK = rolesWith('settings:change')
  .filter((who) => who !== 'key')
  .join(', ')

const ALL_OF_IT =
  FIRST_WITH_ALL === undefined ? '' : ` ${tierName(FIRST_WITH_ALL)} is the first tier that has every feature.`

export const tierHtml = (): string => `<!doctype html>
<html lang="en-IE">
  <head>
    <!-- frame:head -->
    <!-- frame:mono -->
    <title>Tiers and limits · Countersign</title>
    <meta name="description" content="What each tier of Countersign has: calls, models, how long details are kept, and features." />
    <script type="module" src="/search/search.page.tsx"></script>
  </head>
  <body>
    <!-- frame:top -->
    <main class="page stack-l" id="page">
      <div class="stack-s">
        <h1>Tiers and limits</h1>
        <p class="lead">
          In every tier each decided call has a signed record. Tiers differ in how many calls you may make, how long
          details are kept, and what your people can do with them.${ALL_OF_IT}
        </p>
      </div>
      ${tableHtml()}
      <div class="only-narrow columns">
        ${TIERS.map(cardHtml).join('\n        ')}
      </div>
      <div class="columns">
        <section class="stack" aria-labelledby="common">
          <h2 id="common">The same in every tier</h2>
          <dl class="facts">${FACTS.join('')}</dl>
        </section>
        <div class="stack">
          <h2>What counts as a call?</h2>
          <p class="soft">
            A request that may run counts for the minute and for the month. One that is refused with 400 or 403, or as a
            loop, counts for the minute only. One that is refused for a bad key, a limit or a budget counts for neither, and
            leaves no record.
          </p>
          <h2>What happens at a limit?</h2>
          <p class="soft">
            The call is refused with <a href="/docs/errors#rate_limit_exceeded">429</a>, or with
            <a href="/docs/errors#quota_exceeded">402</a> if the month is used up. <code>retry-after</code> says when to come
            back. Nothing is sent to a provider.
          </p>
        </div>
        <div class="stack">
          <h2 id="change">How do I change the tier?</h2>
          <p class="soft">
            Signed in: press the button of the tier on the <a href="/app#not-in-tier">overview</a>, which lists what yours
            lacks. The roles that may ask: ${MAY_ASK}. For own limits, ask the operator of the service.
          </p>
          <p class="soft">
            New here: <a href="/sign-up">sign up</a> and create an organisation. It begins in ${tierName('free')}.
          </p>
          <p class="soft">The operator of the service decides, and agrees the limits that are yours alone.</p>
        </div>
      </div>
    </main>
    <!-- frame:foot -->
  </body>
</html>
`
