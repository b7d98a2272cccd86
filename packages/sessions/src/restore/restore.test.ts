import type { FidelityCount, Lineage, RestoredFile, Writer } from "@pond/canonical/adapter";
import type { Row } from "@pond/substrate";
import { describe, expect, it } from "vitest";
import { type Alter, ingestDemo, said, withAltered, withStore } from "../testing.ts";
import { restore } from "./restore.ts";

const fileOf = ({ root, descendants }: Lineage): RestoredFile[] =>
  [root, ...descendants].map(({ session, messages }) => ({
    session: session.id,
    path: `${session.id}.txt`,
    content: messages.map(({ id }) => `${id}\n`),
  }));

const writer: Writer = {
  origin: "demo",
  writeNative: fileOf,
  writeForeign: (lineage) =>
    fileOf(lineage).map((file) => ({
      ...file,
      fidelity: {
        text: { kept: 1, translated: 2, dropped: 0 },
        system: { kept: 0, translated: 0, dropped: 1 },
      },
    })),
};

const counts = (kept: number, translated: number): FidelityCount => ({
  kept,
  translated,
  dropped: 0,
});

const paths = ({ files }: { readonly files: readonly RestoredFile[] }): string[] =>
  files.map(({ path, content }) => `${path}: ${[...content].join("").replaceAll("\n", " ")}`);

const another = (row: Row): Row => ({ ...row, variant_data: '{"text":"Another."}' });

describe("restore", () => {
  it.each<[string, Alter]>([
    ["has lost its parts", (_, row) => (row["message_id"] === "b" ? undefined : row)],
    ["has altered parts", (_, row) => (row["message_id"] === "b" ? another(row) : row)],
  ])("reports the session of a message that %s", (_, alter) =>
    withAltered(
      [
        {
          id: "s",
          messages: [
            { ...said("a"), bytes: Uint8Array.of(1) },
            { id: "c", role: "carrier" },
          ],
        },
        { id: "child", parent: "s", messages: [said("b"), { id: "e", role: "assistant" }] },
      ],
      alter,
      async (altered, whole) => {
        const { damaged } = await restore(altered, "s", writer);

        expect(damaged).toEqual(["child"]);
        expect((await restore(whole, "s", writer)).damaged).toEqual([]);
      },
    ),
  );

  it.each([0, 30])("reads a session and %i below it within a limit", (count) =>
    withStore(async (sessions) => {
      const messages = (id: string) => [said(id, "x".repeat(20_000))];
      const below = Array.from({ length: count }, (_, at) => ({
        ...{ id: `b${at}`, parent: "s", messages: messages(`b${at}`) },
      }));
      await ingestDemo(sessions, [{ id: "s", messages: messages("s") }, ...below]);
      const bytes = 20_000 * (count + 1);

      const within = await restore(sessions, "s", writer, { maxBytes: 1.5 * bytes });

      expect(paths(within)).toEqual(paths(await restore(sessions, "s", writer)));
      await expect(restore(sessions, "s", writer, { maxBytes: bytes })).rejects.toMatchObject({
        code: "session_too_large",
        details: { sessionId: "s", limitBytes: bytes },
      });
    }),
  );

  it("tells the writer which files the client has", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [{ id: "s", messages: [said("a")] }]);
      const asked = (lineage: Lineage, hasFile?: (path: string) => boolean): RestoredFile[] =>
        fileOf(lineage).map((file) => ({ ...file, content: [`${hasFile?.("a.db")}`] }));
      const asking: Writer = { ...writer, writeNative: asked };
      const hasFile = (path: string): boolean => path === "a.db";

      expect(paths(await restore(sessions, "s", asking, { hasFile }))).toEqual(["s.txt: true"]);
      expect(paths(await restore(sessions, "s", asking))).toEqual(["s.txt: undefined"]);
    }));

  it("gives a client its own id back for a session that is stored under another id", () =>
    withStore(async (sessions) => {
      const apart = { shouldQualifyIds: true };
      const below = { id: "t", parent: "s", messages: [said("c")] };
      const copy = { id: "u", agent: "other", parent: "demo:s", messages: [said("d")] };
      await ingestDemo(sessions, [{ id: "s", agent: "other", messages: [said("a")] }], apart);
      await ingestDemo(sessions, [{ id: "s", messages: [said("b")] }, below, copy], apart);
      const ids = ({ root, descendants }: Lineage): string[] =>
        [root, ...descendants].flatMap(({ session, messages }) => [
          `${session.id} below ${session.parent_session_id}`,
          ...messages.map(({ id, session_id }) => `${id} of ${session_id}`),
        ]);
      const telling: Writer = {
        origin: "demo",
        writeNative: (lineage) =>
          fileOf(lineage).map((file) => ({ ...file, content: ids(lineage) })),
        writeForeign: (lineage, _, parents = []) =>
          fileOf(lineage).map((file) => ({
            ...file,
            content: parents.map(({ session, path }) => `${session.id} in ${path}`),
          })),
      };

      const { files } = await restore(sessions, "demo:s", telling);

      const told = ["s below undefined", "b of s", "t below s", "c of t"];
      expect(files).toMatchObject([
        { session: "demo:s", path: "s.txt", content: told },
        { session: "t", path: "t.txt", content: told },
        { session: "u", path: "u.txt", content: ["s in s.txt"] },
      ]);
    }));

  it("keeps a client's own id that looks like CLIENT:ID, also for the session above", () =>
    withStore(async (sessions) => {
      const child = { id: "t", agent: "other", parent: "demo:s", messages: [said("c")] };
      await ingestDemo(sessions, [{ id: "demo:s", messages: [said("a")] }, child]);
      await ingestDemo(sessions, [{ id: "s", messages: [said("b")] }]);
      const told: string[] = [];
      const telling: Writer = {
        ...writer,
        writeNative: (lineage) => {
          told.push(lineage.root.session.id);
          return fileOf(lineage);
        },
        writeForeign: (lineage, _, parents = []) => {
          told.push(...parents.map(({ session }) => session.id));
          return fileOf(lineage);
        },
      };

      await restore(sessions, "demo:s", telling);
      await restore(sessions, "t", telling, { hasFile: () => true });

      // To name the one above, its file is written again.
      expect(told).toEqual(["demo:s", "demo:s", "demo:s", "demo:s"]);
    }));

  it("is native for sessions of the writer's client, and keeps everything", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [
        {
          id: "s",
          messages: [
            said("a"),
            { id: "c", role: "carrier" },
            { id: "f", text: "x", bytes: new Uint8Array([1]) },
          ],
        },
        { id: "child", parent: "s", messages: [said("b")] },
      ]);

      const restored = await restore(sessions, "s", writer);

      expect(restored.isNative).toBe(true);
      expect(paths(restored)).toEqual(["s.txt: a c f ", "child.txt: b "]);
      expect(restored.fidelity).toEqual({
        text: { kept: 3, translated: 0, dropped: 0 },
        file: { kept: 1, translated: 0, dropped: 0 },
        system: { kept: 1, translated: 0, dropped: 0 },
      });
    }));

  it("is foreign for another client's sessions, with the writer's counts (`adapter-native-restore-lossless`)", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [
        { id: "s", agent: "other", messages: [said("a")] },
        { id: "child", agent: "other", parent: "s", messages: [said("b")] },
      ]);

      const { isNative, fidelity } = await restore(sessions, "s", writer);

      expect(isNative).toBe(false);
      expect(fidelity).toEqual({
        text: { kept: 2, translated: 4, dropped: 0 },
        system: { kept: 0, translated: 0, dropped: 2 },
      });
    }));

  describe("of sessions of several clients", () => {
    const demos = [
      { id: "s", messages: [said("a")] },
      { id: "fork", parent: "s", messages: [said("b")] },
      { id: "elsewhere", agent: "other", parent: "s", messages: [said("c")] },
      { id: "its agent", agent: "third", parent: "elsewhere", messages: [said("d")] },
      { id: "back", parent: "elsewhere", messages: [said("e")] },
    ];
    // Which of the two wrote a file, and what with.
    const naming: Writer = {
      ...writer,
      writeNative: (lineage) => named("native", lineage),
      writeForeign: (lineage) => named("foreign", lineage),
    };
    const named = (how: string, lineage: Lineage): RestoredFile[] =>
      fileOf(lineage).map((file) => ({
        ...file,
        path: `${how} with ${lineage.root.session.id}/${file.path}`,
        ...(how === "foreign" && { fidelity: { text: { kept: 0, translated: 1, dropped: 0 } } }),
      }));

    it("is native for each session of the writer's client (`adapter-native-restore-lossless`)", () =>
      withStore(async (sessions) => {
        await ingestDemo(sessions, demos);

        const { files, isNative, fidelity } = await restore(sessions, "s", naming);

        expect(files.map(({ path, part }) => [path, part])).toEqual([
          ["native with s/s.txt", { isNative: true, fidelity: { text: counts(2, 0) } }],
          ["native with s/fork.txt", { isNative: true, fidelity: { text: counts(2, 0) } }],
          [
            "foreign with elsewhere/elsewhere.txt",
            { isNative: false, fidelity: { text: counts(0, 2) } },
          ],
          [
            "foreign with elsewhere/its agent.txt",
            { isNative: false, fidelity: { text: counts(0, 2) } },
          ],
          ["native with back/back.txt", { isNative: true, fidelity: { text: counts(1, 0) } }],
        ]);
        expect([isNative, fidelity]).toEqual([false, { text: counts(3, 2) }]);
      }));

    it("is native below a session that is translated", () =>
      withStore(async (sessions) => {
        await ingestDemo(sessions, demos);

        const { files } = await restore(sessions, "s", { ...naming, origin: "other" });

        expect(files.map(({ path }) => path)).toEqual([
          "foreign with s/s.txt",
          "foreign with s/fork.txt",
          "native with elsewhere/elsewhere.txt",
          "foreign with back/back.txt",
          "foreign with its agent/its agent.txt",
        ]);
      }));

    it("keeps all sessions together for a client that wrote none of them", () =>
      withStore(async (sessions) => {
        await ingestDemo(sessions, demos);

        const { files } = await restore(sessions, "s", { ...naming, origin: "fourth" });

        expect(files.map(({ path }) => path.split("/")[0])).toEqual(
          Array(5).fill("foreign with s"),
        );
      }));

    it("tells the writer of a translated session which native sessions are above it, and where they lie", () =>
      withStore(async (sessions) => {
        await ingestDemo(sessions, [
          ...demos,
          { id: "deeper", agent: "other", parent: "fork", messages: [said("f")] },
        ]);
        const told = async (id: string, origin: string, has?: string[]): Promise<unknown> => {
          const parentsOf: [root: string, ...parents: string[]][] = [];
          const telling: Writer = {
            ...naming,
            origin,
            writeForeign: (lineage, _, parents = []) => {
              const above = parents.map(({ session, path }) => `${session.id} in ${path}`);
              parentsOf.push([lineage.root.session.id, ...above]);
              return named("foreign", lineage);
            },
          };
          const hasFile = (path: string): boolean => has?.includes(path) ?? false;
          await restore(sessions, id, telling, has && { hasFile });
          return parentsOf;
        };

        expect(await told("s", "demo")).toEqual([
          ["elsewhere", "s in native with s/s.txt"],
          ["deeper", "fork in native with s/fork.txt", "s in native with s/s.txt"],
        ]);
        expect(await told("s", "other")).toEqual([
          ["s"],
          ["back", "elsewhere in native with elsewhere/elsewhere.txt"],
          ["its agent", "elsewhere in native with elsewhere/elsewhere.txt"],
        ]);
        expect(await told("elsewhere", "demo")).toEqual([["elsewhere"]]);
        const [s, fork] = ["native with s/s.txt", "native with fork/fork.txt"];
        expect(await told("elsewhere", "demo", [])).toEqual([["elsewhere"]]);
        expect(await told("elsewhere", "demo", [s])).toEqual([["elsewhere", `s in ${s}`]]);
        expect(await told("deeper", "demo", [s])).toEqual([["deeper"]]);
        expect(await told("deeper", "demo", [s, fork])).toEqual([
          ["deeper", `fork in ${fork}`, `s in ${s}`],
        ]);
      }));

    it("leaves out sessions that other clients wrote below, when told to", () =>
      withStore(async (sessions) => {
        await ingestDemo(sessions, demos);

        const restored = await restore(sessions, "s", naming, { isCutByClient: true });

        expect(restored.files.map(({ session }) => session)).toEqual(["s", "fork"]);
        expect(restored.isNative).toBe(true);
      }));

    it("writes a file that several sessions attach only once", () =>
      withStore(async (sessions) => {
        await ingestDemo(sessions, demos);
        const attaching = (bytes: (id: string) => string): Writer => ({
          ...naming,
          writeNative: (lineage) => {
            const { id } = lineage.root.session;
            return [{ session: id, path: "blob", content: [bytes(id)] }, ...fileOf(lineage)];
          },
        });
        const blobs = async (writer: Writer): Promise<string[]> =>
          (await restore(sessions, "s", writer)).files
            .filter(({ path }) => path === "blob")
            .map(({ session }) => session);

        expect(await blobs(attaching(() => "the same"))).toEqual(["s"]);
        // Whoever writes them is told that two have one path.
        expect(await blobs(attaching((id) => `of ${id}`))).toEqual(["s", "back"]);
      }));
  });

  it("restores the last state of the source, or the first", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [{ id: "s", messages: [said("a"), said("b")] }]);
      await ingestDemo(sessions, [{ id: "s", messages: [said("b"), said("c")] }]);

      expect(paths(await restore(sessions, "s", writer))).toEqual(["s.txt: b c "]);
      expect(paths(await restore(sessions, "s", writer, { at: "first" }))).toEqual([
        "s.txt: a b c ",
      ]);
    }));

  it.each([
    "../../x",
    "/etc/x",
    "a/../../x",
    "..",
    "a/./b",
    "a//b",
    "C:/x",
    "c:x",
    "a\\..\\..\\x",
    "\\\\host\\share",
    "nul\0",
    "a/",
    "",
  ])("refuses an unsafe file path: %j", (id) =>
    withStore(async (sessions) => {
      const hostile: Writer = {
        ...writer,
        writeNative: (lineage) => fileOf(lineage).map((file) => ({ ...file, path: id })),
      };
      await ingestDemo(sessions, [{ id: id || "empty", messages: [said("a")] }]);

      await expect(restore(sessions, id || "empty", hostile)).rejects.toMatchObject({
        code: "unsafe_path",
        details: { path: id },
      });
    }),
  );

  it("tells only another client that a project lies elsewhere", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [{ id: "s", messages: [said("a")] }]);
      const ofProject = ({ root, descendants }: Lineage): RestoredFile[] =>
        [root, ...descendants].map(({ session }) => ({
          session: session.id,
          path: session.project.slice(1),
          content: [],
        }));
      const writing = { writeNative: ofProject, writeForeign: ofProject };
      const projectFor = (project: string): string => `/real${project}`;

      const [own, other] = await Promise.all(
        ["demo", "other"].map((origin) =>
          restore(sessions, "s", { origin, ...writing }, { projectFor }),
        ),
      );

      const [file] = own?.files ?? [];
      expect(other?.files.map(({ path }) => path)).toEqual([`real/${file?.path}`]);
    }));

  it("gives another client a readable project when the session's own is not valid Unicode", () =>
    withStore(async (sessions) => {
      await ingestDemo(sessions, [{ id: "s", project: "/home/\ud800x", messages: [said("a")] }]);
      const projects: string[] = [];
      const ofProject = ({ root }: Lineage): RestoredFile[] => {
        projects.push(root.session.project);
        return [];
      };
      const writing = { writeNative: ofProject, writeForeign: ofProject };

      for (const origin of ["demo", "other"]) await restore(sessions, "s", { origin, ...writing });

      expect(projects).toEqual(["/home/\ud800x", "/home/\ufffdx"]);
    }));
});
