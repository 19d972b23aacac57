/** @returns what a call of @supabase/auth-js returns when it succeeds. @throws its error */
export async function dataOf<Answer extends { data: unknown; error: unknown }>(
  call: Promise<Answer>,
): Promise<NonNullable<Extract<Answer, { error: null }>['data']>> {
  const { data, error } = await call;
  if (error !== null) throw error;
  return data as NonNullable<Extract<Answer, { error: null }>['data']>;
}
