// The size of a tree as a caller writes it, and what a wrong one is answered with.
import { AppError } from '../platform/errors.ts'

/** 0, which no proof is about, where it is no size at all. */
export const readTreeSize = (text: string | undefined): number =>
  /^[1-9]\d{0,14}$/.test(text ?? '') ? Number(text) : 0

export const wrongSize = (param: 'tree_size' | 'old_size'): AppError =>
  new AppError('invalid_request', WRONG_SIZE[param], { param, fields: [{ path: param, rule: 'a size of the log' }] })

const WRONG_SIZE = {
  tree_size: 'tree_size is a whole number: a size at which the log had this receipt, at most that of its newest head.',
  old_size:
    'old_size is a whole number from 1 to new_size, and new_size at most the size of the newest head, which it is if left out.',
}
