// The frame of documents and of the API reference: all their neighbours at the side, each group folded, and in a narrow window all of
// it behind one more fold.
import { escapeHtml } from './escape-html.ts'

type Link = { href: string; label: string; /** HTML at the end of its line. */ beside?: string }

export type LinkGroup = {
  title: string
  links: readonly Link[]
  isOpen: boolean
  /** HTML before it. */ before?: string
}

type GuidePage = {
  title: string
  description: string
  script: string
  /** The link to another form of the page. */
  alternate?: string
  side: {
    label: string
    /** The page that lists everything. */
    all: Link
    groups: readonly LinkGroup[]
    /** The page's path, which is marked. */
    address: string
  }
  /** The main element, and what stands beside it. */
  main: string
}

export const guidePage = ({
  title,
  description,
  script,
  alternate = '',
  side,
  main,
}: GuidePage): string => `<!doctype html>
<html lang="en-IE">
  <head>
    <!-- frame:head -->
    <!-- frame:mono -->
    <title>${escapeHtml(title)} · Countersign</title>
    <meta name="description" content="${escapeHtml(description)}" />
    ${alternate}
    <script type="module" src="${script}"></script>
  </head>
  <body>
    <!-- frame:top -->
    <div class="guide list-and-open">
      ${sideBar(side)}
      ${main}
    </div>
    <!-- frame:foot -->
  </body>
</html>
`

function sideBar({ label, all, groups, address }: GuidePage['side']): string {
  const itemOf = ({ href, label: name, beside = '' }: Link): string =>
    `<li><a href="${href}"${href === address ? ' aria-current="page"' : ''}><span>${escapeHtml(name)}</span> ${beside}</a></li>`
  const folds = groups.map(
    ({ title, links, before = '', isOpen }) =>
      `${before}<details${isOpen || links.some(({ href }) => href === address) ? ' open' : ''}><summary>${escapeHtml(title)}</summary><ul>${links.map(itemOf).join('')}</ul></details>`,
  )
  const links = `<ul>${itemOf(all)}</ul>${folds.join('')}`
  return `<nav class="guide-nav no-print" aria-label="${label}">
        <details class="only-narrow"><summary>${all.label}</summary>${links}</details>
        <div class="no-narrow">${links}</div>
      </nav>`
}
