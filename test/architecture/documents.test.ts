// The documents lead to what there is: as files of the repository, and as pages.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COLLECTION_PATH } from '../../scripts/document/postman-collection.ts'
import { MARKDOWN_FILES, renderDocument } from '../../scripts/pages/document-pages.ts'
import { DOCUMENT_GROUPS, PUBLISHED_DOCUMENTS } from '../../scripts/pages/published-documents.ts'
import { renderMarkdown } from '../../scripts/pages/render-markdown.ts'
import { PROGRAM_ADDRESSES } from '../../scripts/pages/worker-files.ts'
import { pageFiles } from '../../scripts/pages/drawn-pages.ts'
import { ATTESTATION_KEY_SETTINGS, LOG_KEY_SETTINGS } from '../../src/evidence/records/configured-keys.ts'
import { ERROR_TABLE } from '../../src/platform/errors.ts'

const PAGES = new Set([
  ...pageFiles('src/pages').map((file) => `/${file.replace(/(^index)?\.html$/, '')}`),
  // Made from the OpenAPI document.
  '/reference',
  '/v1/referral/openapi.json',
  COLLECTION_PATH,
  ...PROGRAM_ADDRESSES,
])

/** Documents that are no pages of the service. */
const FOR_CONTRIBUTORS = [
  'CONTRIBUTING.md',
  ...['architecture', 'storage', 'decisions', 'testing', 'performance', 'local'].map((name) => `docs/${name}.md`),
]

const read = (name: string): string => readFileSync(`docs/${name}.md`, 'utf8')

/** Counts words as a reader does: parts between blanks that have a letter or a digit, of tables and code too. */
const wordsIn = (markdown: string): number => markdown.split(/\s+/).filter((part) => /[\p{L}\p{N}]/u.test(part)).length

const rendered = new Map(PUBLISHED_DOCUMENTS.map((name) => [name, renderDocument(name)]))
const anchorsIn = (name: string): string[] => (rendered.get(name) ?? renderDocument(name)).anchors.map(({ id }) => id)

/** True if a page of the service has the address and its anchor, such as `/docs/errors#not_found`. */
function isOnPages(link: string): boolean {
  const { pathname, hash } = new URL(link, 'https://pages.example')
  const document = pathname.startsWith('/docs/') ? pathname.slice('/docs/'.length) : null
  if (!PAGES.has(pathname)) return false
  return hash === '' || (document !== null && anchorsIn(document).includes(decodeURIComponent(hash.slice(1))))
}

/** True if a clone of the repository has the target, or the pages of the service do. */
function isInRepository(link: string, document: string): boolean {
  if (link.startsWith('/')) return isOnPages(link)
  const [path = '', anchor] = link.split('#')
  const file = path === '' ? document : normalize(join(dirname(document), path))
  return existsSync(file) && (anchor === undefined || anchorsIn(basename(file, '.md')).includes(anchor))
}

it('no document, page or script pastes a policy over the rules in force', () => {
  const files = globSync(['README.md', 'docs/*.md', 'src/**/*.{ts,tsx,html}', 'scripts/**/*.{ts,mjs}'])
  const pasted = files.filter((file) => /\bPUT\s+"?\S*\/api\/policies\b(?!`)/.test(readFileSync(file, 'utf8')))
  expect(pasted).toEqual(['src/management/policies/policies.routes.ts'])
})

describe('the documents as files', () => {
  it.each(['README.md', 'CONTRIBUTING.md', ...globSync('docs/*.md')])('%s leads only to what there is', (document) => {
    const links = readFileSync(document, 'utf8').matchAll(/\]\((?!https?:)([^)]+)\)/g)
    expect([...links].map(([, link = '']) => link).filter((link) => !isInRepository(link, document))).toEqual([])
  })
})

describe('the documents about the code', () => {
  it.each(FOR_CONTRIBUTORS)('%s names only files there are', (document) => {
    const text = readFileSync(document, 'utf8')
    const paths = Array.from(text.matchAll(/`([\w.*-]+\/[\w.*/-]+\.(?:tsx?|sql))`/g), ([, path = '']) => path)
    expect(paths.filter((path) => globSync([path, `src/${path}`]).length === 0)).toEqual([])
  })

  it('have at most 10,000 words', () => {
    const words = FOR_CONTRIBUTORS.reduce((sum, document) => sum + wordsIn(readFileSync(document, 'utf8')), 0)
    expect(words).toBeLessThanOrEqual(10_000)
  })

  it('deployment-settings has every setting that the service reads, and no other', () => {
    const files = ['src/platform/config.ts', 'src/platform/sign-in-config.ts', 'src/public-log/public-log-config.ts']
    const declared = files.flatMap((file) =>
      Array.from(readFileSync(file, 'utf8').matchAll(/^ {2,4}([A-Z][A-Z_]+): /gm), ([, name = '']) => name),
    )
    const keys = [ATTESTATION_KEY_SETTINGS, LOG_KEY_SETTINGS].flatMap(({ history, seed }) => [history, `${seed}…`])
    const ofProviders = ['OPENAI_API_KEY', 'OPENAI_BASE_URL']
    const ofPages = ['PAGES_SECURITY_CONTACT']
    const settings = new Set([...declared, ...keys, ...ofProviders, ...ofPages, 'OAUTH_SECRET_…'])
    const rows = read('deployment-settings').matchAll(/^\| `([A-Z][\w…]+)`[^|]*\| (?:variable|secret|build)/gm)
    expect(Array.from(rows, ([, name = '']) => name).toSorted()).toEqual([...settings].toSorted())
  })

  it('storage has every table of the objects and of D1, and no other', () => {
    const sources = globSync(['src/**/*.ts', 'data/migrations/*.sql']).map((path) => readFileSync(path, 'utf8'))
    const tables = sources.flatMap((text) =>
      Array.from(text.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g), ([, table = '']) => table),
    )
    const described =
      read('storage')
        .match(/^\| (?:table|object) [^]*?\n\n/gm)
        ?.join('') ?? ''
    const names = new Set(Array.from(described.matchAll(/`([\w…]+)`/g), ([, name = '']) => name))
    expect(tables.filter((table) => !names.has(table) && !table.startsWith('usage_'))).toEqual([])
    const firsts = Array.from(
      described.matchAll(/^\| (?:(?:the log|a shard) +\| )?`(\w+)` /gm),
      ([, name = '']) => name,
    )
    expect(firsts.filter((name) => !tables.includes(name))).toEqual([])
  })
})

describe('the published documents', () => {
  const reference = new Set(
    DOCUMENT_GROUPS.filter(({ title }) => title === 'Reference').flatMap(({ documents }) =>
      documents.map(({ name }) => name),
    ),
  )
  const guides = DOCUMENT_GROUPS.filter(({ reader }) => reader !== undefined).flatMap(({ documents }) =>
    documents.map(({ name }) => name),
  )

  it('are all of docs/ but those for contributors', () => {
    const files = globSync('docs/*.md').filter((file) => !FOR_CONTRIBUTORS.includes(file))
    expect(new Set(files)).toEqual(new Set(PUBLISHED_DOCUMENTS.map((name) => `docs/${name}.md`)))
  })

  it('have at most 42,000 words', () => {
    expect(PUBLISHED_DOCUMENTS.reduce((sum, name) => sum + wordsIn(read(name)), 0)).toBeLessThanOrEqual(42_000)
  })

  it.each(PUBLISHED_DOCUMENTS.filter((name) => !reference.has(name)))(
    '%s has at most 1,500 words, a guide 1,200',
    (name) => {
      expect(wordsIn(read(name))).toBeLessThanOrEqual(guides.includes(name) ? 1200 : 1500)
    },
  )

  it.each(PUBLISHED_DOCUMENTS)('%s names no file of the code, no test and nothing that was before', (name) => {
    const text = read(name).replaceAll(/```[^]*?```/g, '')
    expect(text.match(/`(?:src|test|scripts|\.\.)\/[^`]*`|\b[\w-]+\.(?:worker\.)?(?:release\.)?test\.ts\b/g)).toBeNull()
    expect(text.match(/\b(?:formerly|previously|used to be|was renamed|in the past|until now)\b/gi)).toBeNull()
  })

  it.each(guides)('%s has an example before its rules, and says where to go next', (name) => {
    const text = read(name)
    const firstTable = text.search(/^\| /m)
    const example = text.search(/^```(?:sh|python|js)\b/m)
    expect(example).toBeGreaterThan(0)
    if (firstTable !== -1) expect(example).toBeLessThan(firstTable)
    const [, next = ''] = text.split('\n## Next\n')
    const links = next.match(/^- \[/gm)?.length ?? 0
    expect(links).toBeGreaterThan(0)
    expect(links).toBeLessThanOrEqual(4)
  })
})

describe('the documents as pages', () => {
  it.each(PUBLISHED_DOCUMENTS)('%s leads only to what there is, and names each place once', (name) => {
    const { beginning, parts, anchors } = renderDocument(name)
    const links = (beginning + parts).matchAll(/ href="([^"]+)"/g)
    const dead = [...links]
      .map(([, link = '']) => (link.startsWith('#') ? `/docs/${name}${link}` : link))
      .filter((link) => !link.startsWith('https://') && !isOnPages(link))
    expect(dead).toEqual([])
    const ids = anchors.map(({ id }) => id)
    expect(ids.filter((id, at) => id === 'page' || ids.indexOf(id) !== at)).toEqual([])
    expect(anchors.filter(({ html }) => html.includes('<a '))).toEqual([])
    expect(`${beginning}${parts}`.match(/<h1>/g)).toHaveLength(1)
  })

  it.each([...MARKDOWN_FILES])('%s says what its page says', (file, markdown) => {
    const text = markdown()
    expect(text.match(/<!--|^```drawing|^```\w+ .*/gm)).toBeNull()
    const htmlOf = ({ beginning, parts }: ReturnType<typeof renderDocument>): string => beginning + parts
    const around = {
      titleOf: (name: string): string => rendered.get(name)?.title ?? '',
      // A link to a document that is none of the pages would lead nowhere.
      isPublished: (name: string): boolean => {
        expect(PUBLISHED_DOCUMENTS).toContain(name)
        return true
      },
    }
    const withoutFigures = (html: string): string => html.replaceAll(/<figure[^]*?<\/figure>\n?/g, '')
    const page = htmlOf(renderDocument(basename(file, '.md')))
    const html = htmlOf(renderMarkdown(text, around))
    if (page.includes('<figure')) expect(html.length).toBeGreaterThan(withoutFigures(page).length)
    else expect(html).toBe(page)
  })

  it('are listed once each', () => {
    const listed = PUBLISHED_DOCUMENTS
    expect(listed.filter((name, at) => listed.indexOf(name) !== at)).toEqual([])
  })

  it('have what the other pages lead to', () => {
    const pages = globSync('src/pages/**/*.{html,ts,tsx}').map((file) => readFileSync(file, 'utf8'))
    const links = pages.flatMap((page) => page.match(/\/docs(?:\/[\w-]+(?:#[\w-]+)?)?(?=["'`#])/g) ?? [])
    expect(links).toContain('/docs/errors')
    expect(links.filter((link) => !isOnPages(link))).toEqual([])
  })

  it('have a place for each error code, as the reference leads to it', () => {
    expect(Object.keys(ERROR_TABLE).filter((code) => !isOnPages(`/docs/errors#${code}`))).toEqual([])
  })
})

describe('Markdown', () => {
  const around = { titleOf: (name: string) => `The ${name} <b>`, isPublished: (name: string) => name === 'errors' }
  const htmlOf = (markdown: string): string => {
    const { beginning, parts } = renderMarkdown(`# Title\n\n${markdown}`, around)
    return (beginning + parts).replace('<h1>Title</h1>\n', '').trim()
  }

  it.each([
    ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
    ['a <b>c</b>', '<p>a &lt;b&gt;c&lt;/b&gt;</p>'],
    ['<!-- for a program -->', ''],
    ['`<i>`', '<p><code class="nowrap">&lt;i&gt;</code></p>'],
    ['![a picture](https://elsewhere.example/x.png)', '<p>a picture</p>'],
  ])('lets no HTML of its own through: %s', (markdown, html) => {
    expect(htmlOf(markdown)).toBe(html)
  })

  it.each([
    ['[what](errors.md#not_found)', '<a href="/docs/errors#not_found">what</a>'],
    ['[errors.md](errors.md)', '<a href="/docs/errors">The errors &lt;b&gt;</a>'],
    ['[local.md](local.md)', '<code>docs/local.md</code>'],
    ['[`a` file](../src/worker.ts)', '<code class="nowrap">a</code> file'],
    ['[a](javascript:alert)', 'a'],
    ['[here](#here)', '<a href="#here">here</a>'],
    ['[keys](/app/keys)', '<a href="/app/keys">keys</a>'],
  ])('leads to pages, and nowhere else on this site: %s', (markdown, html) => {
    expect(htmlOf(markdown)).toBe(`<p>${html}</p>`)
  })

  it('names places as GitHub does', () => {
    const { anchors } = renderMarkdown(
      "# T\n## What `pii_scan` does, and who's asked\n## Ärzte: 2–3\n## Ärzte: 2–3\n",
      around,
    )
    expect(anchors.map(({ id }) => id)).toEqual(['what-pii_scan-does-and-whos-asked', 'ärzte-23', 'ärzte-23-1'])
  })

  it('makes of code what can be copied, and of a drawing what can be scrolled', () => {
    expect(htmlOf('```sh\ncurl "$URL"\n```')).toBe(
      '<div class="code wraps"><div class="code-bar"><span class="code-title">Terminal</span></div><pre tabindex="0"><code>curl <span class="of-string">&quot;$URL&quot;</span></code></pre></div>',
    )
    expect(htmlOf('```\na -> b\n```')).toBe('<pre tabindex="0"><code>a -&gt; b</code></pre>')
  })

  it.each([
    [
      'json',
      '{"a<b": "c&d", "e": -1.5}',
      [
        ['name', '"a<b"'],
        ['string', '"c&d"'],
        ['name', '"e"'],
        ['number', '-1.5'],
      ],
    ],
    [
      'sh',
      'curl "$URL" # it\'s $KEY\necho $KEY',
      [
        ['string', '"$URL"'],
        ['comment', "# it's $KEY"],
        ['name', '$KEY'],
      ],
    ],
    [
      'js',
      "const a = 'b' // c",
      [
        ['name', 'const'],
        ['string', "'b'"],
        ['comment', '// c'],
      ],
    ],
    [
      'python',
      'import os\nf"{a}" # b',
      [
        ['name', 'import'],
        ['string', 'f"{a}"'],
        ['comment', '# b'],
      ],
    ],
    ['text', '"a" # <b>', []],
  ])('colours %s and shows every character of it', (lang, code, tokens) => {
    const html = htmlOf(`\`\`\`${lang}\n${code}\n\`\`\``)
    const shown = (escaped: string): string =>
      escaped
        .replaceAll(/<[^>]+>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&')
    expect(shown(/<code>([^]*)<\/code>/.exec(html)?.[1] ?? '')).toBe(code)
    const coloured = html.matchAll(/<span class="of-(\w+)">([^]*?)<\/span>/g)
    expect(Array.from(coloured, ([, kind = '', token = '']) => [kind, shown(token)])).toEqual(tokens)
  })

  it('draws a drawing with its text alternative and its caption, and no other', () => {
    const html = htmlOf('```drawing life-of-a-call\nA "call"\ngoes.\n\nThe <caption>.\n```')
    expect(html).toContain('role="img" aria-label="A &quot;call&quot; goes."')
    expect(html).toContain('<figcaption class="soft">The &lt;caption&gt;.</figcaption>')
    expect(() => htmlOf('```drawing life-of-a-call\nNo caption\n```')).toThrow('life-of-a-call')
    expect(() => htmlOf('```drawing unknown\na\n\nb\n```')).toThrow('unknown')
  })

  it('makes tables that scroll by themselves, named by the heading above', () => {
    const html = htmlOf('## Limits\n\n|  | most |\n| --- | ---: |\n| keys | 10 |')
    expect(html).toContain('<div class="table" role="group" tabindex="0" aria-labelledby="limits">')
    expect(html).toContain('<tr><td></td><th scope="col" class="number">most</th></tr>')
    expect(html).toContain('<tr><td>keys</td><td class="number">10</td></tr>')
  })
})
