// What the search finds of the dashboard itself: things to do, pages, ids, keys and people by name, and parts of the settings. Loaded
// when the search is first opened, with the names of keys and people, which are kept for as long as the page.
import type { Permission } from '../../../accounts/access/roles.policy.ts'
import type { Key } from '../../../keys/key.schema.ts'
import type { Feature } from '../../../policies/tier.policy.ts'
import { answered, type Answer } from '../../api/send-request.ts'
import { code, list, person, type IconPaths } from '../../parts/icons.ts'
import { DASHBOARD_PAGES, type DashboardPage, type DashboardPath } from '../../pages.ts'
import type { OwnGroup, OwnResult, OwnSearch } from '../../search/search-entries.ts'
import { matcherOf } from '../../search/search-words.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import type { Member } from '../key-and-person-names.view.tsx'
import { hasPermission, hasTierFeature, inOrganisation, loadWholeList, seesAllCalls, session } from '../session.ts'
import { PART_IDS, PARTS, type PartId } from '../settings/parts.ts'
import { MEMBERS } from '../settings/settings-members.ts'
import { showShortcutList } from './shortcuts.view.tsx'

/** `also`: what it is found by besides its title. */
type Findable = OwnResult & { also?: string }

/** The most results of a group of names. */
const MOST_NAMED = 5

let links: readonly HTMLAnchorElement[] = []
let keys: readonly Key[] = []
let people: readonly Member[] = []
let loading: Promise<void> | null = null

/** @param menu links of pages. They are found if they are in sight and the tier has them */
export function loadOwn(menu: readonly HTMLAnchorElement[]): OwnSearch {
  links = menu
  loading ??= loadNames()
  return { find, whole: loading }
}

/** Loads the names that the role may read. What is refused is asked for again when the search is opened again. */
async function loadNames(): Promise<void> {
  const { signal } = new AbortController()
  const loadAll = async <T>(needs: Permission, path: string, query = {}): Promise<Answer<Pick<List<T>, 'data'>>> =>
    hasPermission(needs) ? loadWholeList<T>(path, { ...query, limit: 100 }, signal) : answered({ data: [] })
  const [allKeys, members] = await Promise.all([
    loadAll<Key>('keys:read', '/api/keys', { status: 'all' }),
    loadAll<Member>('members:manage', '/api/members'),
  ])
  if (allKeys.outcome === 'answered') {
    const { active = [], others = [] } = Object.groupBy(allKeys.body.data, ({ status }) =>
      status === 'active' ? 'active' : 'others',
    )
    keys = [...active, ...others]
  }
  if (members.outcome === 'answered') people = members.body.data
  if (allKeys.outcome === 'refused' || members.outcome === 'refused') loading = null
}

/** Returns what matches, by group. With nothing typed: everything to do, and every page. */
function find(query: string): readonly OwnGroup[] {
  const matches = matcherOf(query)
  const among = (results: readonly Findable[]): readonly OwnResult[] =>
    results.filter(({ title, also = '' }) => matches(`${title} ${also}`))
  const named = (results: readonly Findable[]): readonly OwnResult[] =>
    query.trim() === '' ? [] : among(results).slice(0, MOST_NAMED)
  return [
    {
      label: 'Do',
      results: among([...ACTS.filter(isPermitted).map(resultAt), ...actsAtOnce()]),
    },
    { label: 'Pages', results: among(pages()) },
    { label: 'Ids', results: findId(query.trim().toLowerCase()) },
    { label: 'Keys', results: named(keys.map(keyResult)) },
    { label: 'People', results: named(people.map(personResult)) },
    { label: 'Settings', results: named(settings()) },
  ]
}

/** Leads to a place. Where only the hash of the open page would change, the page is loaded again: it reads its hash as it opens. */
function leadTo(path: string): { href: string } | { act: () => void } {
  const href = inOrganisation(path)
  const { pathname, search, hash } = new URL(href, location.origin)
  const isHere = hash !== '' && pathname + search === location.pathname + location.search
  const open = (): void => {
    location.assign(href)
    location.reload()
  }
  return isHere ? { act: open } : { href }
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** The format of each id, the page that shows it and the noun. A call has the digits of its record. */
const IDS = [
  [`(key_${UUID})`, '/app/keys', 'key'],
  [`(apr_${UUID})`, '/app/approvals', 'approval'],
  [`(${UUID})`, '/app/calls', 'call'],
  ['(?:tr_|chatcmpl-|resp_)([0-9a-f]{32})', '/app/calls', 'call'],
] as const

function findId(id: string): readonly OwnResult[] {
  const shown = IDS.flatMap(([pattern, path, noun]): OwnResult[] => {
    const [, named] = new RegExp(`^${pattern}$`).exec(id) ?? []
    if (named === undefined || !mayOpen(path)) return []
    const own = named.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    return [resultAt({ path, title: `The ${noun} ${id}`, at: `?id=${own}` })]
  })
  const isRequest = new RegExp(`^req_${UUID}$`).test(id) && seesAllCalls()
  return [
    ...shown,
    ...(isRequest ? [resultAt({ path: '/app/calls', title: `The call of request ${id}`, at: `?q=${id}` })] : []),
    ...people.filter((one) => one.id === id).map(personResult),
    ...session()
      .user.organisations.filter((one) => one.id === id)
      .map(({ name }) => ({
        title: name,
        context: 'Open this organisation',
        icon: iconAt('/app'),
        href: `/app?org=${id}`,
      })),
  ]
}

/** A place on a page of the dashboard. `at`: its query or hash. `context`: beside the title, instead of the page's name. */
type Place = { title: string; also?: string; path: DashboardPath; at?: string; context?: string }

const resultAt = ({ title, also = '', path, at = '', context = DASHBOARD_PAGES[path].title }: Place): Findable => ({
  title,
  also,
  context,
  icon: iconAt(path),
  ...leadTo(path + at),
})

/** An act that begins on a page. */
type Act = Place & { needs: Permission; feature?: Feature }

const ACTS: readonly Act[] = [
  { title: 'Create a key', also: 'new API', path: '/app/keys', at: '?create=key', needs: 'keys:own' },
  { title: 'Rotate a key', also: 'replace revoke rename API', path: '/app/keys', needs: 'keys:own' },
  { title: 'Put a policy in force', also: 'new change rules', path: '/app/policies', needs: 'policies:change' },
  {
    title: 'Block personal identifiers',
    also: 'redact',
    path: '/app/policies',
    at: '#pii_scan',
    needs: 'policies:change',
  },
  { title: 'Set a budget', also: 'cost', path: '/app/policies', at: '#budget_guard', needs: 'policies:change' },
  {
    title: 'Show blocked calls',
    path: '/app/calls',
    at: '?outcome=blocked',
    needs: 'audit:read',
    feature: 'audit_trail',
  },
  { title: 'Try a call', also: 'test send prompt', path: '/app/playground', needs: 'keys:own' },
  { title: 'Decide about waiting requests', also: 'approve deny', path: '/app/approvals', needs: 'approvals:decide' },
  {
    title: 'Make a report',
    also: 'compliance PDF',
    path: '/app/compliance',
    at: '#report',
    needs: 'audit:read',
    feature: 'pdf_report',
  },
  { title: 'Export evidence', also: 'save file log calls', path: '/app/exports', needs: 'audit:read' },
  {
    title: 'Export medical calls',
    also: 'save file receipts',
    path: '/app/exports',
    at: '?kind=receipts',
    needs: 'receipts:read',
    feature: 'medical_receipts',
  },
  {
    title: 'Export all data',
    also: 'save file organisation',
    path: '/app/exports',
    at: '?kind=organisation',
    needs: 'organisation:export',
  },
  { title: 'Invite a member', also: 'add new person', path: '/app/members', at: '#invite', needs: 'members:manage' },
]

const isPermitted = ({ needs, path, feature }: Act): boolean =>
  hasPermission(needs) && mayOpen(path) && (feature === undefined || hasTierFeature(feature))

/** What everybody may do, most of it without another page. */
function actsAtOnce(): readonly Findable[] {
  const { theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light' } =
    document.documentElement.dataset
  const switchTheme = document.querySelector<HTMLElement>('[data-act=theme]')
  return [
    { title: 'Verify a record', also: 'evidence', icon: list, href: '/verify' },
    ...(session().user.methods.includes('password')
      ? [{ title: 'Change the password', context: 'Account', icon: person, ...leadTo('/app/account#password') }]
      : []),
    {
      title: `Switch to ${theme === 'dark' ? 'light' : 'dark'}`,
      also: 'theme mode',
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

/** The pages of the menu that are in sight, and the one that is not in the menu. */
const pages = (): readonly OwnResult[] => [
  ...links
    .filter((link) => link.closest('[hidden]') === null && !link.hasAttribute('data-locked'))
    .map((link) => ({ title: link.childNodes[1]?.textContent?.trim() ?? '', icon: iconOf(link), href: link.href })),
  { title: 'Account', icon: person, href: inOrganisation('/app/account') },
]

const iconOf = (place: Element | null | undefined): IconPaths =>
  Array.from(place?.querySelectorAll('path') ?? [], (path) => path.getAttribute('d') ?? '')

/** The icon that the menu has for the page. */
const iconAt = (path: DashboardPath): IconPaths => iconOf(links.find(({ pathname }) => pathname === path))

const keyResult = ({ id, name: title, prefix, last_four: also, status }: Key): Findable =>
  resultAt({
    path: '/app/keys',
    at: `?id=${id}`,
    title,
    also,
    context: `Key ${prefix}…${also}${status === 'active' ? '' : `, ${status}`}`,
  })

const personResult = ({ id, name: title, email: also, role }: Member): Findable =>
  resultAt({ path: '/app/members', at: `#${id}`, title, also, context: `${also}, ${role}` })

/** The parts of the settings that the role may see, then the settings in them. */
function settings(): readonly OwnResult[] {
  const ids: readonly PartId[] = hasPermission('settings:read') ? PART_IDS : ['erasure']
  const path = '/app/settings'
  const members = Object.values(MEMBERS).filter(({ part }) => ids.includes(part))
  return [
    ...ids.map((id) => resultAt({ path, title: PARTS[id], at: `?part=${id}` })),
    ...members.map(({ label: title, part }) =>
      resultAt({ path, title, at: `?part=${part}`, context: `Settings, ${PARTS[part]}` }),
    ),
  ]
}
