// Over plain http what is typed can be read on its way, and browsers keep the session on this machine's own names only.

const OWN_NAMES = new Set(['localhost', '127.0.0.1'])

export function InsecureNotice() {
  if (location.protocol === 'https:' || OWN_NAMES.has(location.hostname)) return null
  return (
    <div class="notice warn" role="note">
      <p>This page came over plain http.</p>
      <p>
        Whoever is on the way can read what you type, and your browser will drop the session, so that signing in seems
        to do nothing. Open it by its https address or, on the machine that it runs on, by 127.0.0.1.
      </p>
    </div>
  )
}
