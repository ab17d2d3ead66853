// What the search finds of the dashboard itself: the page of an id, things to do, and the pages of the menu.
import type { Permission } from '../../../accounts/access/roles.policy.ts'
import { calls, code, hand, key, list, person, save, shield, theme, type IconPaths } from '../../parts/icons.ts'
import type { OwnGroup, OwnResult } from '../../search/search-entries.ts'
import { DASHBOARD_PAGES, type DashboardPage, type DashboardPath } from '../../pages.ts'
import { hasPermission, hasTierFeature, inOrganisation } from '../session.ts'
import { showShortcutList } from './shortcuts.view.tsx'

export const menuLinks = (): HTMLAnchorElement[] => [
  ...document.querySelectorAll<HTMLAnchorElement>('#side > :is(nav, .side-end) a'),
]

/** Returns what matches, by group. With nothing typed: everything to do, and every page. */
export function findOwn(query: string): readonly OwnGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = ({ title }: OwnResult): boolean => words.every((word) => title.toLowerCase().includes(word))
  return [
    { label: 'Ids', results: findId(query) },
    { label: 'Do', results: ACTS.filter(isPermitted).map(actResult).filter(matches) },
    { label: 'Pages', results: pages().filter(matches) },
  ]
}

const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** The format of each id, the page that shows it, and its noun. A call has the id of its record. */
const IDS = [
  [new RegExp(`^key_${UUID}$`), '/app/keys', 'The key', key],
  [new RegExp(`^apr_${UUID}$`), '/app/approvals', 'The approval', hand],
  [new RegExp(`^${UUID}$`), '/app/calls', 'The call', calls],
] as const

function findId(query: string): readonly OwnResult[] {
  const id = query.trim().toLowerCase()
  return IDS.filter(([pattern, path]) => pattern.test(id) && mayOpen(path)).map(([, path, noun, icon]) => ({
    title: `${noun} ${id}`,
    context: DASHBOARD_PAGES[path].title,
    icon,
    href: inOrganisation(`${path}?id=${id}`),
  }))
}

type Act = { title: string; icon: IconPaths; path: DashboardPath; at?: string; needs: Permission }

/** Acts that begin on a page. `at`: the query or the hash of the place on it. */
const ACTS: readonly Act[] = [
  { title: 'Create an API key', icon: key, path: '/app/keys', at: '?create=key', needs: 'keys:own' },
  { title: 'Show blocked calls', icon: calls, path: '/app/calls', at: '?outcome=blocked', needs: 'audit:read' },
  {
    title: 'Block personal identifiers',
    icon: shield,
    path: '/app/policies',
    at: '#pii_scan',
    needs: 'policies:change',
  },
  { title: 'Set a budget', icon: shield, path: '/app/policies', at: '#budget_guard', needs: 'policies:change' },
  { title: 'Decide about waiting requests', icon: hand, path: '/app/approvals', needs: 'approvals:decide' },
  { title: 'Make a compliance report', icon: list, path: '/app/compliance', at: '#report', needs: 'audit:read' },
  { title: 'Save evidence of calls', icon: save, path: '/app/exports', needs: 'audit:read' },
  { title: 'Invite a person', icon: person, path: '/app/members', needs: 'members:manage' },
]

const isPermitted = ({ needs, path }: Act): boolean => hasPermission(needs) && mayOpen(path)

const actResult = ({ title, icon, path, at = '' }: Act): OwnResult => ({
  title,
  context: DASHBOARD_PAGES[path].title,
  icon,
  href: inOrganisation(`${path}${at}`),
})

function mayOpen(path: DashboardPath): boolean {
  const page: DashboardPage = DASHBOARD_PAGES[path]
  if (page.needs === 'session' || page.needs === 'membership') return true
  return (
    hasPermission(page.needs) && ('feature' in page && page.feature !== undefined ? hasTierFeature(page.feature) : true)
  )
}

/** The pages of the menu that are in sight, and what the header's buttons do. */
const pages = (): readonly OwnResult[] => [
  ...menuLinks()
    .filter((link) => link.closest('[hidden]') === null && !link.hasAttribute('data-locked'))
    .map((link) => ({ title: link.childNodes[1]?.textContent?.trim() ?? '', icon: iconOf(link), href: link.href })),
  { title: 'Account', icon: person, href: inOrganisation('/app/account') },
  { title: 'Switch between light and dark', icon: theme, act: () => press('[data-act=theme]') },
  { title: 'Show the shortcut keys', icon: code, act: showShortcutList },
]

/** The icon that the menu has beside the link. */
const iconOf = (link: HTMLAnchorElement): IconPaths =>
  [...link.querySelectorAll('path')].map((path) => path.getAttribute('d') ?? '')

const press = (selector: string): void => document.querySelector<HTMLElement>(selector)?.click()
