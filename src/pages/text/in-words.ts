// What the service tells programs, told to people: without the routes that a program would ask.
import type { Problem } from '../api/call.ts'

/** @param words by code; other problems stay as they are */
export function inWords(problem: Problem, words: Readonly<Record<string, string>>): Problem {
  const message = words[problem.code]
  return message === undefined ? problem : { ...problem, message, fields: [] }
}
