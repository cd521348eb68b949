"""A server around CTranslate2 with LibreTranslate's POST /translate, as such servers are usually written.

    python ctranslate2_server.py MODEL_FOLDER each|collect INTER_THREADS INTRA_THREADS

each: every request calls translate_batch in a thread of an executor; CTranslate2 distributes the calls.
collect: requests of 2 ms, and those that arrive while all workers are busy, are translated in one call.
Needs ctranslate2, sentencepiece and aiohttp. MODEL_FOLDER is one of gloss export --to ctranslate2.
"""
import asyncio
import concurrent.futures
import sys

import ctranslate2
import sentencepiece
from aiohttp import web

MAX_BATCH = 64
COLLECTING_SECONDS = 0.002


class Server:
    def __init__(self, folder, inter_threads, intra_threads):
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=f"{folder}/tokenizer.model")
        self.translator = ctranslate2.Translator(folder, compute_type="float32", inter_threads=inter_threads,
                                                 intra_threads=intra_threads)
        self.workers = inter_threads
        self.waiting = asyncio.Queue()
        self.threads = concurrent.futures.ThreadPoolExecutor(64)

    def translate(self, texts):
        results = self.translator.translate_batch(
            self.pieces.encode(texts, out_type=str), beam_size=5, length_penalty=1, max_decoding_length=256,
            max_input_length=0, max_batch_size=MAX_BATCH)
        return [self.pieces.decode(result.hypotheses[0]) for result in results]

    async def each(self, text):
        return (await asyncio.get_running_loop().run_in_executor(self.threads, self.translate, [text]))[0]

    async def collect(self, text):
        future = asyncio.get_running_loop().create_future()
        self.waiting.put_nowait((text, future))
        return await future

    async def work(self):
        """Translates what waits, over and over."""
        while True:
            batch = [await self.waiting.get()]
            if self.waiting.qsize() < MAX_BATCH - 1:
                await asyncio.sleep(COLLECTING_SECONDS)
            while len(batch) < MAX_BATCH and not self.waiting.empty():
                batch.append(self.waiting.get_nowait())
            texts = [text for text, _ in batch]
            try:
                found = await asyncio.get_running_loop().run_in_executor(self.threads, self.translate, texts)
            except Exception as error:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), text in zip(batch, found):
                if not future.done():
                    future.set_result(text)


async def main(folder, way, inter_threads, intra_threads):
    server = Server(folder, int(inter_threads), int(intra_threads))
    translate = {"each": server.each, "collect": server.collect}[way]

    async def answer(request):
        fields = await request.json()
        return web.json_response({"translatedText": await translate(fields["q"])})

    workers = [asyncio.create_task(server.work()) for _ in range(server.workers)]
    application = web.Application()
    application.router.add_post("/translate", answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
    await site.start()
    print(f"listening to 127.0.0.1:{runner.addresses[0][1]}", file=sys.stderr, flush=True)
    await asyncio.gather(*workers)


asyncio.run(main(*sys.argv[1:]))
