// The files of the transcript: one an operation, with a section for each chapter that calls it.
import type { Exchange } from './chapter.ts'
import type { Document } from './coverage.ts'
import { sectionOf } from './section.ts'

const NO_OPERATION = 'no-operation.txt'

/** The texts of the files, by their paths below the folder of the transcript. */
export function operationFiles(
  chapters: ReadonlyMap<string, readonly Exchange[]>,
  document: Document,
): Map<string, string> {
  const fileOf = operationFinder(document)
  const sections = new Map<string, string[]>()
  for (const [chapter, exchanges] of chapters) {
    for (const [file, own] of Map.groupBy(exchanges, fileOf)) {
      sections.set(file, [...(sections.get(file) ?? []), `== ${chapter}\n\n${sectionOf(own)}\n`])
    }
  }
  return new Map([...sections].map(([file, texts]) => [file, texts.join('\n\n')]))
}

/** @returns a function that tells the file of an exchange */
function operationFinder({ paths }: Document): (exchange: Exchange) => string {
  const operations = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, { tags: [tag = 'untagged'] = [] }]) => ({
      method: method.toUpperCase(),
      pattern: patternOf(template),
      members: template.split('{').length,
      file: `${slug(tag)}/${method}${template.replaceAll(/[{}]/g, '').replaceAll('/', '-')}.txt`,
    })),
  )
  // A path without members goes before one that has them, as in the service.
  const inOrder = operations.toSorted((one, other) => one.members - other.members)
  return ({ method, path }) => {
    const [pathname = ''] = path.split('?')
    return inOrder.find((one) => one.method === method && one.pattern.test(pathname))?.file ?? NO_OPERATION
  }
}

/** A path's `{index}` may have slashes. */
export const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replaceAll('{index}', '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`)

const slug = (tag: string): string => tag.toLowerCase().replaceAll(/\W+/g, '-')
