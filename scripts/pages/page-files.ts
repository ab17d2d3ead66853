// Which pages the build makes: those of src/pages, and the documents.
import { globSync } from 'node:fs'
import { DOCUMENT_PAGES } from './documents/document-pages.ts'

/** @param root the folder of the pages; the paths are in it */
export const pageFiles = (root: string): string[] => [
  ...globSync('**/*.html', { cwd: root, exclude: ['frame/**'] }),
  ...DOCUMENT_PAGES,
]
