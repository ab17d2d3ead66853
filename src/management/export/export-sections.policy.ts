// Defines the sections and the formats of a data export, and the permission that each section needs. Pure.
import { may, type Permission, type Who } from '../../accounts/access/roles.policy.ts'

export const SECTIONS = [
  'account',
  'organisation',
  'members',
  'keys',
  'settings',
  'notifications',
  'policies',
  'approvals',
  'statements',
  'anomalies',
  'usage',
  'audit',
  'receipts',
] as const
export type Section = (typeof SECTIONS)[number]

export const FORMATS = ['json', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** The permission that a section needs besides the right to export. `account` is the caller's own; a key has no account. */
const NEEDED_PERMISSIONS: Readonly<Record<Section, Permission | null>> = {
  account: null,
  organisation: null,
  members: 'members:manage',
  keys: 'keys:read',
  settings: 'settings:read',
  notifications: 'settings:read',
  policies: 'settings:read',
  approvals: 'approvals:read',
  statements: 'audit:read',
  anomalies: 'audit:read',
  usage: 'usage:read',
  audit: 'audit:read',
  receipts: 'receipts:read',
}

export const mayExport = (who: Who, section: Section): boolean => {
  const permission = NEEDED_PERMISSIONS[section]
  if (permission === null) return section !== 'account' || who !== 'key'
  return may(who, permission)
}

export const exportableSections = (who: Who): Section[] => SECTIONS.filter((section) => mayExport(who, section))
