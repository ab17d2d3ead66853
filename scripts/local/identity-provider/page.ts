// The page of the local identity provider: it asks for no password and signs in anybody, and says so.

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 4rem auto; padding: 0 1rem; color: #1c2430 }
  .note { border-left: 4px solid #b4540a; padding: .25rem 1rem; background: #fdf3e7 }
  label { display: block; margin: 1rem 0 .25rem }
  input[type=email], input[type=text] { font: inherit; width: 100%; padding: .5rem; box-sizing: border-box }
  button { font: inherit; margin-top: 1.5rem; padding: .5rem 1rem }
`

/** @param asked the query that the service sent the browser with: it goes on with the form */
export const signInPage = (asked: URLSearchParams): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Local identity provider</title>
<style>${STYLE}</style>
<h1>Local identity provider</h1>
<p class="note">This is an emulator on this machine. It asks for no password and signs in anybody, under any address. Nothing
that is deployed trusts it.</p>
<form>
${[...asked].map(([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`).join('\n')}
<label for="email">E-mail address</label>
<input id="email" name="login_email" type="email" required value="ann.example@clinic.example">
<label for="name">Name</label>
<input id="name" name="login_name" type="text" required value="Ann Example">
<label><input name="login_verified" type="checkbox" value="true" checked> The address is verified</label>
<button>Sign in</button>
</form>
`

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => ENTITIES[found] ?? found)
