// The way to the pages of the dashboard: to those that a person's role has, each with the organisation in its address.
import { inOrganisation, type Session } from '../../api/session.ts'
import { may, type Permission } from '../../../accounts/access/roles.policy.ts'

/** What a page is of no use without. Those that are not named here have something for everybody. */
const NEEDED: Readonly<Record<string, Permission>> = {
  '/app/analytics': 'usage:read',
  '/app/keys': 'keys:read',
  '/app/approvals': 'approvals:read',
  '/app/policies': 'policies:read',
  '/app/audit': 'audit:read',
  '/app/receipts': 'receipts:read',
  '/app/compliance': 'audit:read',
  '/app/anomalies': 'audit:read',
}

export const sideLinks = (): HTMLAnchorElement[] => [...document.querySelectorAll<HTMLAnchorElement>('#side a')]

export function showSide(session: Session): void {
  for (const link of sideLinks()) {
    const path = link.pathname
    if (path === location.pathname) link.setAttribute('aria-current', 'page')
    const needed = NEEDED[path]
    const { organisation } = session
    const isOf = organisation === null || needed === undefined || may(organisation.role, needed)
    link.closest('li')?.toggleAttribute('hidden', !isOf)
    if (path.startsWith('/app')) link.href = inOrganisation(session, path)
  }
}
