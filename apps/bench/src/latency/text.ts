import { createRandom } from "../shared/random.ts";

// What makes an index of real conversation large and slow: few words that are everywhere, very many
// that are nearly nowhere, names composed of others, and scripts without spaces.

const functionWords =
  "the to a and of is in it that for i this on you with not be we as are can have do if but from at or what how so was an by all will when there my which no just me then would has use did why does where should".split(
    " ",
  );
const unspacedWords =
  "索引 内存 泄漏 配置 文件 错误 测试 数据 服务 请求 响应 缓存 线程 数据库 函数 变量 接口 版本 部署 日志 连接 超时 重试 权限 用户 会话 消息 搜索 结果 问题 修复 更新 删除 添加 检查 运行 构建 依赖 编译 优化 性能 队列 事务 备份 恢复 同步 异步 回调 参数 类型".split(
    " ",
  );
const onsets = "b c ch d dr f fl g gr h j k l m n p pr qu r s sh st t tr v w z".split(" ");
const vowels = "a e i o u ai ea ou io".split(" ");
const codas = ["", "", "n", "r", "s", "t", "l", "nd", "ck", "m"];
const vocabularySize = 60_000;

const functionShare = 0.4;
const nameShare = 0.04;
const pathShare = 0.015;
const numberShare = 0.015;

const vocabulary: readonly string[] = (() => {
  const random = createRandom(11);
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? "";
  return Array.from({ length: vocabularySize }, () =>
    Array.from(
      { length: 1 + Math.floor(random() * 3) },
      () => pick(onsets) + pick(vowels) + pick(codas),
    ).join(""),
  );
})();

/** About `length` characters: frequencies follow Zipf's law, names and numbers in between. */
export function conversation(random: () => number, length: number): string {
  const words: string[] = [];
  for (let size = 0; size < length; ) {
    const word = wordOf(random);
    words.push(word);
    size += word.length + 1;
  }
  return words.join(" ");
}

/** About `length` characters of words without separators. */
export function unspacedConversation(random: () => number, length: number): string {
  let text = "";
  while (text.length < length) {
    text += zipf(random, unspacedWords);
    if (random() < 0.1) text += "，";
  }
  return text;
}

/** The words of unspaced texts. */
export function isUnspacedWord(text: string): boolean {
  return unspacedWords.includes(text);
}

function wordOf(random: () => number): string {
  const kind = random();
  if (kind < functionShare) return zipf(random, functionWords);
  const first = zipf(random, vocabulary);
  if (kind < functionShare + nameShare) {
    const second = zipf(random, vocabulary);
    return random() < 0.5 ? `${first}_${second}` : first + capital(second);
  }
  if (kind < functionShare + nameShare + pathShare) {
    return `src/${first}/${zipf(random, vocabulary)}.ts`;
  }
  if (kind < functionShare + nameShare + pathShare + numberShare) {
    return Math.floor(random() ** 3 * 4_294_967_296).toString(random() < 0.5 ? 10 : 16);
  }
  return first;
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function zipf(random: () => number, words: readonly string[]): string {
  return words[Math.floor((words.length + 1) ** random()) - 1] ?? "";
}
