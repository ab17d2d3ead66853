import { countOf, joined, textsIn, type WordsOf } from './rule-words.ts'

export const contentTypeGuard: WordsOf<'content_type_guard'> = {
  name: 'Content types',
  about: 'What a request may contain, and how much of each. Any other request is blocked.',
  start: {},
  members: [
    { name: 'allow', label: 'Allowed' },
    { name: 'max_body_bytes', label: 'Whole request at most', unit: 'size' },
    { name: 'max_text_characters', label: 'Text at most', unit: 'characters' },
    { name: 'max_images', label: 'Images at most', unit: 'images' },
    { name: 'max_files', label: 'Files at most', unit: 'files' },
    { name: 'max_tools', label: 'Tools at most', unit: 'tools' },
  ],
  summary: ({ allow, ...limits }, { listed, plural }) =>
    joined(
      allow === undefined ? 'All types' : `Only ${listed(textsIn(allow))}`,
      countOf(limits) > 0 && plural(countOf(limits), 'limit'),
    ),
}
