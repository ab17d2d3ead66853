// What the search finds of the dashboard itself: things to do, pages, ids, controls, keys and people by name, and parts of the settings.
// Loaded when the search is first opened, with the names of keys and people, which are kept for as long as the page.
import type { Permission } from '../../../accounts/access/roles.policy.ts'
import type { Key } from '../../../keys/key.schema.ts'
import { tiersWith, type Feature } from '../../../policies/tier.policy.ts'
import { answered, type Answer } from '../../api/send-request.ts'
import { code, lock, person, type IconPaths } from '../../parts/icons.ts'
import { DASHBOARD_PAGES, type DashboardAddress, type DashboardPage, type DashboardPath } from '../../pages.ts'
import type { OwnGroup, OwnResult, OwnSearch } from '../../search/search-entries.ts'
import { correctWords, matcherOf, termOf } from '../../search/search-words.ts'
import { tierName } from '../../text/id-labels.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { groupOfControl } from '../compliance/control-words.ts'
import type { Member } from '../key-and-person-names.view.tsx'
import { hasPermission, hasTierFeature, inOrganisation, loadWholeList, seesAllCalls, session } from '../session.ts'
import { PART_IDS, PARTS, type PartId, MEMBERS } from '../settings/settings-members.ts'
import { showShortcutList } from './shortcuts.view.tsx'

/** `also`: what it is found by besides what is shown. */
type Findable = OwnResult & { also?: string }

const MOST_NAMED = 5

let links: readonly HTMLAnchorElement[] = []
let keys: readonly Key[] = []
let people: readonly Member[] = []
let loading: Promise<void> | null = null

/** @param menu links of pages. They are found if they are in sight; those that the tier lacks with its lock */
export function openOwn(menu: readonly HTMLAnchorElement[]): OwnSearch {
  links = menu
  loading ??= loadNames()
  return { find, correct, whole: loading }
}

const activeFirst = (one: Key, other: Key): number =>
  Number(other.status === 'active') - Number(one.status === 'active')

/** Loads the names that the role may read. What is refused is asked for again when the search is opened again. */
async function loadNames(): Promise<void> {
  const { signal } = new AbortController()
  const loadAll = async <T>(needs: Permission, path: string, query = {}): Promise<Answer<Pick<List<T>, 'data'>>> =>
    hasPermission(needs) ? loadWholeList<T>(path, { ...query, limit: 100 }, signal) : answered({ data: [] })
  const [allKeys, members] = await Promise.all([
    loadAll<Key>('keys:read', '/api/keys', { status: 'all' }),
    loadAll<Member>('members:manage', '/api/members'),
  ])
  if (allKeys.outcome === 'answered') keys = allKeys.body.data.toSorted(activeFirst)
  if (members.outcome === 'answered') people = members.body.data
  if (allKeys.outcome === 'refused' || members.outcome === 'refused') loading = null
}

const textOf = ({ title, also = '', context = '' }: Findable): string => `${title} ${context} ${also}`

const acts = (): readonly Findable[] => [...ACTS.filter(isPermitted).map(resultAt), ...actsAtOnce()]

function correct(query: string, isWord: (word: string) => boolean): string | null {
  const text = [...acts(), ...pages()].map(textOf).join(' ')
  const terms = new Map(text.split(/\s+/).map((word) => [termOf(word), 1]))
  const corrected = correctWords(query, (word) => isWord(word) || matcherOf(word)(text), terms)
  return corrected !== null && find(corrected).some(({ results }) => results.length > 0) ? corrected : null
}

/** Returns what matches, by group. With nothing typed: everything to do, and every page. */
function find(query: string): readonly OwnGroup[] {
  const matches = matcherOf(query)
  const among = (results: readonly Findable[]): readonly OwnResult[] =>
    results.filter((result) => matches(textOf(result)))
  const named = (results: readonly Findable[]): readonly OwnResult[] =>
    query.trim() === '' ? [] : among(results).slice(0, MOST_NAMED)
  return [
    { label: 'Do', results: among(acts()) },
    { label: 'Pages', results: among(pages()) },
    { label: 'Ids', results: findId(query.trim().toLowerCase()) },
    { label: 'Keys', results: named(keys.map(keyResult)) },
    { label: 'People', results: named(people.map(personResult)) },
    { label: 'Settings', results: named(settings()) },
  ]
}

/** Leads to a place. Where only the hash of the open page would change, the page is loaded again: it reads its hash as it opens. */
function leadTo(address: DashboardAddress): { href: string } | { act: () => void } {
  const href = inOrganisation(address)
  const { pathname, search, hash } = new URL(href, location.origin)
  const isHere = hash !== '' && pathname + search === location.pathname + location.search
  const open = (): void => {
    location.assign(href)
    location.reload()
  }
  return isHere ? { act: open } : { href }
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** The format of each id, where it is shown and the noun. A call has the digits of its record. */
const IDS = [
  [`(key_${UUID})`, '/app/keys', 'id', 'key'],
  [`(apr_${UUID})`, '/app/approvals', 'id', 'approval'],
  [`(rep_${UUID})`, '/app/compliance', 'report', 'report'],
  [`(${UUID})`, '/app/calls', 'id', 'call'],
  ['(?:tr_|chatcmpl-|resp_)([0-9a-f]{32})', '/app/calls', 'id', 'call'],
] as const

function findId(id: string): readonly OwnResult[] {
  const shown = IDS.flatMap(([pattern, path, parameter, noun]): OwnResult[] => {
    const [, named] = new RegExp(`^${pattern}$`).exec(id) ?? []
    if (named === undefined || !mayOpen(path)) return []
    const own = named.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    return [resultAt([`The ${noun} ${id}`, `${path}?${parameter}=${own}`])]
  })
  const control = id.toUpperCase().replace(/^CONTROL | CONTROL$/, '')
  const group = groupOfControl(control)
  const isControl = group !== undefined && mayOpen('/app/compliance')
  const isRequest = new RegExp(`^req_${UUID}$`).test(id) && seesAllCalls()
  return [
    ...shown,
    ...(isControl ? [placeResult([`Control ${control}`, `/app/compliance?control=${control}`], group)] : []),
    ...(isRequest ? [resultAt([`The call of request ${id}`, `/app/calls?q=${id}`])] : []),
    ...people.filter((one) => one.id === id).map(personResult),
    ...session()
      .user.organisations.filter((one) => one.id === id)
      .map(({ name: title }) => ({ title, context: 'Organisation', icon: iconAt('/app'), href: `/app?org=${id}` })),
  ]
}

/** A place of the dashboard, and what it is found by besides what is shown. */
type Place = readonly [title: string, address: DashboardAddress, also?: string, ...more: unknown[]]

/** @param context beside the title, instead of the name of the page */
function placeResult([title, address, also = '']: Place, context?: string): Findable {
  const path = pathIn(address)
  return { title, also, context: context ?? DASHBOARD_PAGES[path].title, icon: iconAt(path), ...leadTo(address) }
}

const resultAt = (place: Place): Findable => placeResult(place)

const pathIn = (address: DashboardAddress): DashboardPath =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an address begins with the path
  address.replace(/[?#].*/, '') as DashboardPath

/** Acts that begin on a page. */
type Act = readonly [title: string, address: DashboardAddress, also: string, needs: Permission, feature?: Feature]

const ACTS: readonly Act[] = [
  ['Create a key', '/app/keys?create=key', 'new', 'keys:own'],
  ['Replace or revoke a key', '/app/keys', 'rotate rename', 'keys:own'],
  ['Put a policy in force', '/app/policies', 'new change rules', 'policies:change'],
  ['Block personal identifiers', '/app/policies#pii_scan', 'redact', 'policies:change'],
  ['Set a budget', '/app/policies#budget_guard', 'cost', 'policies:change'],
  ['Set the data region', '/app/policies#data_region', 'europe', 'policies:change'],
  ['Show blocked calls', '/app/calls?outcome=blocked', '', 'audit:read', 'audit_trail'],
  ['Try a call', '/app/playground', 'test send prompt', 'keys:own'],
  ['Decide about waiting requests', '/app/approvals', 'approve deny', 'approvals:decide'],
  ['Explain an anomaly', '/app/anomalies', 'explanation', 'compliance:state'],
  ['Make a report', '/app/compliance#report', 'PDF', 'audit:read', 'pdf_report'],
  ['Export evidence', '/app/exports', 'save file log calls', 'audit:read'],
  ['Export medical calls', '/app/exports?kind=receipts', 'save file', 'receipts:read', 'medical_receipts'],
  ['Export all data', '/app/exports?kind=organisation', 'save file', 'organisation:export'],
  ['Invite a member', '/app/members#invite', 'add new person', 'members:manage'],
]

const isPermitted = ([, address, , needs, feature]: Act): boolean =>
  hasPermission(needs) && mayOpen(pathIn(address)) && (feature === undefined || hasTierFeature(feature))

/** What everybody may do, most of it without another page. */
function actsAtOnce(): readonly Findable[] {
  const { theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light' } =
    document.documentElement.dataset
  const switchTheme = document.querySelector<HTMLElement>('[data-act=theme]')
  return [
    { title: 'Verify a record', also: 'evidence', icon: iconAt('/verify'), href: '/verify' },
    ...(session().user.methods.includes('password')
      ? [{ title: 'Change the password', context: 'Account', icon: person, ...leadTo('/app/account#second-factor') }]
      : []),
    {
      title: `Switch to ${theme === 'dark' ? 'light' : 'dark'}`,
      also: 'theme mode dark light',
      icon: iconOf(switchTheme),
      act: () => switchTheme?.click(),
    },
    { title: 'Show the shortcut keys', also: 'keyboard', icon: code, act: showShortcutList },
    { title: 'Sign out', also: 'log out logout', icon: person, act: signOut },
  ]
}

/** By the button of the menu, which then is in sight to say so if it was refused. */
function signOut(): void {
  for (const selector of ['#account', '#who button']) document.querySelector<HTMLElement>(selector)?.click()
}

function mayOpen(path: DashboardPath): boolean {
  const page: DashboardPage = DASHBOARD_PAGES[path]
  if (page.needs === 'session' || page.needs === 'membership') return true
  return hasPermission(page.needs) && (page.feature === undefined || hasTierFeature(page.feature))
}

/** The pages of the menu that are in sight, and the one that is not in the menu. To verify is an act. */
const pages = (): readonly OwnResult[] => [
  ...links
    .filter((link) => !link.matches('[hidden] *, [href="/verify"]'))
    .map((link) => {
      const isLocked = link.dataset['locked'] !== undefined
      return {
        title: link.childNodes[1]?.textContent?.trim() ?? '',
        context: isLocked ? tierWith(link.pathname) : '',
        icon: isLocked ? lock : iconOf(link),
        href: link.href,
      }
    }),
  { title: 'Account', icon: person, href: inOrganisation('/app/account') },
]

/** The lowest tier with the page: “from Pro on”. */
const tierWith = (path: string): string =>
  Object.entries<DashboardPage>(DASHBOARD_PAGES)
    .flatMap(([of, page]) =>
      of === path && 'feature' in page && page.feature ? tiersWith(page.feature).slice(0, 1) : [],
    )
    .map((lowest) => `from ${tierName(lowest)} on`)
    .join('')

const iconOf = (place: Element | null | undefined): IconPaths =>
  Array.from(place?.querySelectorAll('path') ?? [], (path) => path.getAttribute('d') ?? '')

/** The icon that the menu has for the page. */
const iconAt = (path: string): IconPaths => iconOf(links.find(({ pathname }) => pathname === path))

const keyResult = ({ id, name, prefix, last_four: last, status }: Key): Findable =>
  placeResult([name, `/app/keys?id=${id}`], `Key ${prefix}…${last}${status === 'active' ? '' : `, ${status}`}`)

const personResult = ({ id, name, email, role }: Member): Findable =>
  placeResult([name, `/app/members#${id}`], `${email}, ${role}`)

/** The parts of the settings that the role may see, then the settings in them. */
function settings(): readonly OwnResult[] {
  const ids: readonly PartId[] = hasPermission('settings:read') ? PART_IDS : ['erasure']
  const members = Object.values(MEMBERS).filter(({ part }) => ids.includes(part))
  return [
    ...ids.map((id) => resultAt([PARTS[id], `/app/settings?part=${id}`])),
    ...members.map(({ label, part }) => placeResult([label, `/app/settings?part=${part}`], `Settings, ${PARTS[part]}`)),
  ]
}
