// Counts tokens in the emulator: four characters are a token, so that a test can compute the count again.

import type { Message } from './model-request.ts'

/** The tokens of an image or a document. */
export const TOKENS_OF_MEDIA = 256

/** Counts Unicode characters, not UTF-16 units. */
export function countCharacters(text: string): number {
  return Array.from(text).length
}

export function tokensOfCharacters(characters: number): number {
  return Math.ceil(characters / 4)
}

export function countTokens(text: string): number {
  return tokensOfCharacters(countCharacters(text))
}

/** Counts the text of all messages taken together, plus a fixed number for each image or document. */
export function countPromptTokens(messages: readonly Message[]): number {
  const text = messages.map((message) => message.text).join('')
  const images = messages.reduce((sum, message) => sum + message.images, 0)
  return countTokens(text) + images * TOKENS_OF_MEDIA
}
