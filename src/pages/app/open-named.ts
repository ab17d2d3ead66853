/** The part of the page that the address names, which was not there yet when the browser looked for it. */
export function openNamed(): void {
  const named = location.hash === '' ? null : document.getElementById(location.hash.slice(1))
  named?.focus({ preventScroll: true })
  named?.scrollIntoView()
}
