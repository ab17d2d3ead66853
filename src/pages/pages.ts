// Tables of the dashboard pages, and of the entrance pages for people who have not signed in. Each page has its own script:
// app/keys/keys.page.tsx draws /app/keys. The HTML, the menu and the permissions that a page needs follow from these tables.
// A public page has an HTML file of its own instead, such as status.html.
import type { Permission } from '../accounts/access/roles.policy.ts'
import type { Feature } from '../policies/tier.policy.ts'
import type * as icons from './parts/icons.ts'

type DrawnPage = {
  /** The title and the heading. */
  title: string
  /** The sentence below the heading. Empty: the page's script fills it in. */
  lead?: string
  /** True for a page with buttons beside its heading, for which a phone keeps a line. `beside`: the heading’s own line has room for them. */
  hasActs?: true | 'beside'
  /** The room kept until the page is drawn, so that nothing below jumps. */
  room?: 'tall' | 'taller'
}

/** No page shows the audit trail, which is for programs: pages list calls. */
export type PageFeature = Exclude<Feature, 'audit_trail'>

export type PageAccess =
  /** Any role in the organisation. */
  | { needs: 'membership' }
  /** Everybody who has signed in. */
  | { needs: 'session' }
  /**
   * `what`: the noun in “Your role does not include …”. `feature`: of the tiers that have the page; absent if all have it. `opensLocked`:
   * the page opens in other tiers too, because an organisation may have data of an earlier tier.
   */
  | { needs: Permission; what: string; feature?: PageFeature; opensLocked?: boolean }

/** The groups of the menu, in its order. */
export const PAGE_GROUPS = {
  use: 'Use',
  control: 'Control',
  evidence: 'Evidence',
  organisation: 'Organisation',
} as const

export type DashboardPage = DrawnPage &
  PageAccess & {
    group: keyof typeof PAGE_GROUPS
    /** Its icon in the menu. Absent: the page is not in the menu. */
    icon?: keyof typeof icons
  }

/** Pages by path, in the order of the menu. */
export const DASHBOARD_PAGES = {
  '/app': { title: 'Overview', lead: '', hasActs: true, group: 'use', icon: 'home', needs: 'membership' },
  '/app/analytics': {
    hasActs: true,
    title: 'Analytics',
    group: 'use',
    icon: 'chart',
    lead: 'Calls, cost and times, compared with the period before.',
    needs: 'usage:read',
    what: 'analytics',
    feature: 'analytics',
  },
  '/app/calls': {
    hasActs: 'beside',
    title: 'Calls',
    lead: 'Every call that your policy decided, signed.',
    group: 'use',
    icon: 'calls',
    needs: 'membership',
  },
  '/app/playground': {
    title: 'Playground',
    group: 'use',
    icon: 'play',
    lead: 'Real calls under your policy. Each counts, costs and leaves a signed record.',
    needs: 'keys:own',
    what: 'the playground',
  },
  '/app/keys': {
    title: 'API keys',
    hasActs: true,
    group: 'use',
    icon: 'key',
    lead: '',
    needs: 'keys:read',
    what: 'keys',
  },
  '/app/policies': {
    hasActs: true,
    title: 'Policy',
    lead: '',
    group: 'control',
    icon: 'shield',
    needs: 'policies:read',
    what: 'policies',
  },
  '/app/approvals': {
    title: 'Approvals',
    group: 'control',
    icon: 'hand',
    lead: '',
    needs: 'approvals:read',
    what: 'approvals',
    feature: 'human_approval',
    opensLocked: true,
  },
  '/app/compliance': {
    hasActs: true,
    title: 'Compliance',
    lead: '',
    group: 'evidence',
    icon: 'list',
    needs: 'audit:read',
    what: 'compliance',
  },
  '/app/anomalies': {
    title: 'Anomalies',
    lead: '',
    group: 'evidence',
    icon: 'pulse',
    needs: 'audit:read',
    what: 'bias detection',
    feature: 'bias_detection',
  },
  '/app/concordance': {
    title: 'Concordance',
    lead: '',
    group: 'evidence',
    icon: 'overlap',
    needs: 'audit:read',
    what: 'concordance',
  },
  '/app/exports': {
    title: 'Exports',
    group: 'evidence',
    icon: 'save',
    needs: 'organisation:export',
    what: 'exports',
  },
  '/app/members': {
    hasActs: true,
    title: 'Members',
    group: 'organisation',
    icon: 'people',
    lead: '',
    needs: 'membership',
    room: 'tall',
  },
  '/app/settings': {
    title: 'Settings',
    group: 'organisation',
    icon: 'gear',
    lead: '',
    needs: 'membership',
    room: 'taller',
  },
  '/app/account': { title: 'Account', group: 'organisation', needs: 'session', room: 'tall' },
  '/app/notices': {
    title: 'Notices',
    group: 'organisation',
    needs: 'membership',
    room: 'tall',
  },
  '/app/organisation': {
    title: 'Create an organisation',
    group: 'organisation',
    needs: 'session',
    room: 'tall',
  },
} as const satisfies Readonly<Record<string, DashboardPage>>

export type DashboardPath = keyof typeof DASHBOARD_PAGES

/** A place on a page: a part that its query or its hash names. */
export type DashboardAddress = DashboardPath | `${DashboardPath}${'?' | '#'}${string}`

/** Pages by path for people who have not signed in. */
export const ENTRANCE_PAGES: Readonly<Record<string, DrawnPage>> = {
  '/sign-in': {
    title: 'Sign in',
    lead: 'New here? <a href="/sign-up">Sign up</a>',
    room: 'taller',
  },
  '/sign-up': {
    title: 'Sign up',
    lead: 'You have an account? <a href="/sign-in">Sign in</a>. Were you invited? Open the link in your invitation.',
    room: 'taller',
  },
  '/confirm': {
    title: 'Confirm your address',
    lead: 'Confirming makes your account and signs you in.',
    room: 'tall',
  },
  '/reset': {
    title: 'Set a new password',
    lead: 'We mail you a link. With it you choose a new password, and then sign in.',
    room: 'tall',
  },
  '/invite': {
    title: 'Accept an invitation',
    lead: 'You join the organisation that invited you, with your own account or a new one.',
    room: 'taller',
  },
}
