// Vite plugin that fills the pages' HTML: `<!-- frame:NAME -->` stands for src/pages/frame/NAME.html, `<!-- icon:NAME -->` for an icon
// of parts/icons.ts. It also names the contact for faults.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import * as icons from '../../src/pages/parts/icons.ts'

/** The Worker replaces the text by a sentence that follows its settings (src/referral/readers/fill-page.ts). */
const WHERE_LETTERS_GO =
  '<span id="where-letters-go">No letter is sent anywhere now, because the service is not configured.</span>'

/** Returns the plugin. @param root the folder of the pages */
export function frames(root: string): Plugin {
  const read = (file: string): string => readFileSync(resolve(root, file), 'utf8').trim()
  const fill = (html: string, path: string): string =>
    withIcons(html.replaceAll(/<!-- frame:([a-z-]+) -->/g, (_, name: string) => frameOf(name, path)))
      .replace('<!-- security-contact -->', securityContact)
      .replace('%WHERE_LETTERS_GO%', WHERE_LETTERS_GO)
  const frameOf = (name: string, path: string): string => {
    const frame = fill(read(`frame/${name}.html`), path)
    return name === 'top' ? withCurrent(frame, path) : frame
  }
  return {
    name: 'frames',
    transformIndexHtml: {
      order: 'pre',
      handler: (html, { path }) => fill(html, path),
    },
  }
}

export const withIcons = (html: string): string =>
  html.replaceAll(/<!-- icon:([a-z-]+) -->/g, (_, name: string) => iconOf(name))

function iconOf(name: string): string {
  const paths = new Map(Object.entries(icons)).get(name)
  if (paths === undefined) throw new Error(`no icon is called ${name}`)
  return `<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${paths.map((path) => `<path d="${path}" />`).join('')}</svg>`
}

/** The line of the foot about faults, where there is a contact: the file is made by security-text.ts. */
const securityContact = (): string =>
  (process.env['PAGES_SECURITY_CONTACT'] ?? '') === ''
    ? ''
    : '<li><a href="/.well-known/security.txt">Report a vulnerability</a></li>'

/** The header with the page marked that is open, or that it is a part of: /docs of /docs/errors. */
function withCurrent(html: string, path: string): string {
  const part = path === '/index.html' ? '/' : /^\/[a-z-]+/.exec(path)?.[0]
  const isPage = part === '/' || path === `${part}.html`
  return html.replaceAll(`<li><a href="${part}">`, `<li><a href="${part}" aria-current="${isPage ? 'page' : 'true'}">`)
}
