// Vite plugin that makes the HTML of the dashboard's and the sign-in pages, whose content a script draws (src/pages/pages.ts).
// Also lists the files of all pages.
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import { DASHBOARD_PAGES, ENTRANCE_PAGES, PAGE_GROUPS, type DashboardPage } from '../../src/pages/pages.ts'
import { DOCUMENT_PAGES } from './document-pages.ts'
import { TIER_PAGE } from './tier-page.ts'

const DASHBOARD = Object.entries<DashboardPage>(DASHBOARD_PAGES)

/** Returns the module that draws a page: /app/keys has app/keys/keys.page.tsx, and /app has the overview. */
const scriptOf = (path: string): string => {
  const [, place = '', name = 'overview'] = path.split('/')
  return place === 'app' ? `app/${name}/${name}.page.tsx` : `entrance/${place}.page.tsx`
}

const htmlOf = (path: string, title: string, body: string, meta = ''): string => `<!doctype html>
<html lang="en-IE">
  <head>
    <!-- frame:head -->
    <title>${title} · Countersign</title>
    ${meta}
    <script type="module" src="/${scriptOf(path)}"></script>
  </head>
  <body>
    ${body}
  </body>
</html>
`

function dashboardPage(path: string, { title, lead, room, hasActs }: DashboardPage): string {
  return htmlOf(
    path,
    title,
    `<a class="button skip" href="#page">Skip to the page</a>
    <aside class="demo no-print" id="demo" aria-label="Demonstration">
      <b>Invented data.</b> <span>No person is behind any call of this organisation.</span>
    </aside>
    <div class="app">
      ${SIDE}
      <div>
        <!-- frame:app-top -->
        <div class="only-print paper-head" id="paper" aria-hidden="true"></div>
        <main class="page stack-m" id="page">
          <div class="page-head row between">
            <div class="row" data-align="baseline" data-single>
              <h1>${title}</h1>
              ${lead === undefined ? '' : `<p class="soft" id="lead"${lead === '' ? ' data-room' : ''}>${lead}</p>`}
            </div>
            <div id="acts" class="row no-print"${hasActs === undefined ? '' : ` data-room="${hasActs}"`}></div>
          </div>
          <div id="island" class="${room === undefined ? 'stack-m' : `stack-m ${room}`}"></div>
        </main>
      </div>
    </div>`,
  )
}

/** What the menu has after the pages of a group. */
const LAST_OF_GROUP: Readonly<Record<string, string>> = {
  evidence: '<li><a href="/verify"><!-- icon:proven -->Verify a record</a></li>',
}

/** The badge with the number of waiting approvals, hidden until the number is known. */
const WAITING_BADGE = ' <span id="waiting" class="badge warn to-end" hidden></span>'

/** The whole menu. A script hides the pages that a role does not permit. */
const MENU = Object.entries(PAGE_GROUPS)
  .map(([group, name]) => {
    const pages = DASHBOARD.filter(([, page]) => page.group === group && page.icon !== undefined)
    const links = pages.map(
      ([path, { title, icon }]) =>
        `<li><a href="${path}"><!-- icon:${icon} -->${title}${path === '/app/approvals' ? WAITING_BADGE : ''}</a></li>`,
    )
    return `<p id="menu-${group}">${name}</p><ul aria-labelledby="menu-${group}">${links.join('')}${LAST_OF_GROUP[group] ?? ''}</ul>`
  })
  .join('')

const SIDE = readFileSync(resolve(import.meta.dirname, '../../src/pages/frame/app-side.html'), 'utf8').replace(
  '<!-- menu -->',
  MENU,
)

/** The form, and beside it what it leads to, which its script draws (entrance/beside.view.tsx). */
const entrancePage = (path: string, { title, lead, room }: (typeof ENTRANCE_PAGES)[string]): string =>
  htmlOf(
    path,
    title,
    `<a class="button skip" href="#page">Skip to the page</a>
    <div class="entrance">
      <!-- frame:entrance-top -->
      <main class="stack" id="page">
        <h1>${title}</h1>
        <p class="soft">${lead}</p>
        <noscript>
          <p class="notice warn">
            This page needs JavaScript. The same can be done over the API: <a href="/reference">reference</a>.
          </p>
        </noscript>
        <div id="island" class="${room}"></div>
      </main>
      <aside class="no-narrow" id="beside" aria-label="What this leads to"></aside>
      <!-- frame:entrance-foot -->
    </div>`,
    '<meta name="robots" content="noindex" />',
  )

const fileOf = (path: string): string => `${path.slice(1)}.html`

/** The HTML of each file. */
const PAGES: ReadonlyMap<string, string> = new Map([
  ...DASHBOARD.map(([path, page]) => [fileOf(path), dashboardPage(path, page)] as const),
  ...Object.entries(ENTRANCE_PAGES).map(([path, page]) => [fileOf(path), entrancePage(path, page)] as const),
])

/** Returns the files of all pages: those of `root`, the drawn ones, the documents and the tiers. Paths are relative to `root`. */
export const pageFiles = (root: string): string[] => [
  ...globSync('**/*.html', { cwd: root, exclude: ['frame/**'] }),
  ...PAGES.keys(),
  ...DOCUMENT_PAGES,
  TIER_PAGE,
]

/** Returns the plugin. @param root the folder of the pages, which has no files of drawn pages */
export function drawnPages(root: string): Plugin {
  const pages = new Map([...PAGES].map(([file, html]) => [resolve(root, file), html]))
  return {
    name: 'drawn-pages',
    enforce: 'pre',
    resolveId: (id) => (pages.has(id) ? id : null),
    load: (id) => pages.get(id) ?? null,
  }
}
