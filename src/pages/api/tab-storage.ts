// What a page keeps in its tab, until that is closed or the person signs out. A browser may keep nothing, or have no room.

/** Returns null if nothing is kept. */
export function keptInTab(name: string): string | null {
  try {
    return sessionStorage.getItem(name)
  } catch {
    return null
  }
}

/** Returns all that is kept, as name and text. */
export function allInTab(): readonly (readonly [name: string, text: string])[] {
  try {
    return Object.entries<string>(sessionStorage)
  } catch {
    return []
  }
}

/** Returns false if the browser does not keep it. @param text null removes it */
export function keepInTab(name: string, text: string | null): boolean {
  try {
    if (text === null) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, text)
    return true
  } catch {
    return false
  }
}
