// The key with which letters are read here: the shared one of the page, one from the link, or one that was pasted. It is in memory only.

export type HeldKey = { value: string; from: 'page' | 'link' | 'visitor' }

const FORM = /^vk_(test|live)_[0-9A-Za-z_-]+$/

export const isReferralKey = (value: string): boolean => FORM.test(value)

export const isSandbox = ({ value }: HeldKey): boolean => value.startsWith('vk_test_')

/** The one of the link, which leaves the address at once, or else the one that the page was built with. */
export function keyAtHand(): HeldKey | null {
  return keyOfLink() ?? keyOfPage()
}

export function keyOfLink(): HeldKey | null {
  const value = new URLSearchParams(location.hash.slice(1)).get('key')
  if (value === null) return null
  // SECURITY: what stays in the address stays in the history too, and goes where the address is copied to.
  history.replaceState(null, '', location.pathname + location.search)
  return isReferralKey(value) ? { value, from: 'link' } : null
}

function keyOfPage(): HeldKey | null {
  const value = document.querySelector<HTMLMetaElement>('meta[name=sandbox-key]')?.content ?? ''
  return isReferralKey(value) ? { value, from: 'page' } : null
}

/** What may be shown of it. */
export const shownOf = ({ value }: HeldKey): string => `${value.slice(0, 8)}…${value.slice(-4)}`
