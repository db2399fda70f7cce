# The stages of `./dev test`, sourced by dev. A stage is a function stage_NAME whose output goes to
# $logs/NAME.log. It returns 0 (passed), 77 (skipped: its last line says why) or anything else
# (failed); a stage of many tests calls `counted PASSED FAILED [NAME OF A FAILED ONE]...`.
# shellcheck shell=bash disable=SC2154

logs=$build/test-logs
asan=$root/build-asan tsan=$root/build-tsan fuzz_build=$root/build-fuzz
all_stages=(format law law_test build_release build_asan unit build_tsan race tidy build_fuzz e2e kernel fuzz)

# Sanitizers must end the test that they complain about.
export ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=0:detect_stack_use_after_return=1:strict_string_checks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}

# The sanitizers of these compilers cannot live with every address layout that today's kernels choose.
steady=()
if setarch "$(uname -m)" -R true 2>/dev/null; then steady=(setarch "$(uname -m)" -R); fi

counted() {
	echo "$1 $2" >"$logs/$stage.counts"
	shift 2
	printf '%s\n' "$@" >"$logs/$stage.failed"
}

run_stages() {
	local stage total_passed=0 total_failed=0 failures=() started=$SECONDS
	mkdir -p "$logs"
	for stage; do
		declare -F "stage_$stage" >/dev/null || die "no stage '$stage'; there are: ${all_stages[*]}"
	done
	for stage; do
		run_stage
	done
	if [ ${#failures[@]} -gt 0 ]; then
		echo
		echo "Failed:"
		printf '  %s\n' "${failures[@]}"
	fi
	echo "$((SECONDS - started)) s, logs in $logs"
	echo "$total_passed passed, $total_failed failed"
	[ "$total_failed" = 0 ]
}

run_stage() { # $stage; adds to the totals and failures of run_stages
	local t0=$SECONDS rc passed failed log=$logs/$stage.log name
	rm -f "$logs/$stage.counts" "$logs/$stage.failed"
	printf '%-14s' "$stage"
	(set -uo pipefail; "stage_$stage") >"$log" 2>&1 </dev/null
	rc=$?
	if [ $rc = 77 ]; then
		printf 'skipped: %s\n' "$(tail -n 1 "$log")"
		return
	fi
	if ! read -r passed failed 2>/dev/null <"$logs/$stage.counts"; then
		passed=$((rc == 0)) failed=$((rc != 0))
	elif [ $rc != 0 ] && [ "$failed" = 0 ]; then
		failed=1
	fi
	total_passed=$((total_passed + passed)) total_failed=$((total_failed + failed))
	if [ "$failed" = 0 ]; then
		printf '%5d passed            %4d s\n' "$passed" $((SECONDS - t0))
		return
	fi
	printf '%5d passed, %d FAILED  %4d s  %s\n' "$passed" "$failed" $((SECONDS - t0)) "$log"
	tail -n 15 "$log" | sed 's/^/    /'
	if [ -s "$logs/$stage.failed" ]; then
		while read -r name; do
			[ -n "$name" ] && failures+=("$stage: $name   ($log)")
		done <"$logs/$stage.failed"
	else
		failures+=("$stage   ($log)")
	fi
}

# ---- lint --------------------------------------------------------------------------------------

stage_format() {
	find src -name '*.[ch]' -print0 | sort -z |
		xargs -0 -r -n 16 -P "$jobs" clang-format --dry-run -Werror --style=file
}

stage_law() { python3 tests/law/law.py --sizes; }

stage_law_test() { unittests tests/law/law_test.py; }

unittests() { # a python unittest file: each of its tests counts
	local out rc
	out=$(python3 "$1" -v 2>&1)
	rc=$?
	printf '%s\n' "$out"
	local failed
	mapfile -t failed < <(printf '%s\n' "$out" | sed -n 's/^\(FAIL\|ERROR\): //p')
	counted $(($(printf '%s\n' "$out" | sed -n 's/^Ran \([0-9]*\) test.*/\1/p') - ${#failed[@]})) ${#failed[@]} "${failed[@]}"
	return $rc
}

stage_tidy() {
	# clang-tidy reads clang's command lines: those of the one build that clang makes
	configure "$tsan" clang "${tsan_options[@]}" && python3 tests/lint/tidy.py "$tsan" "$build/tidy-seen" "$jobs"
}

# ---- builds and what runs in one process ---------------------------------------------------------

asan_options=(-Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false -Dbuildtype=debugoptimized)
tsan_options=(-Dwerror=true -Db_sanitize=thread -Db_lundef=false -Dbuildtype=debugoptimized)
fuzz_options=(-Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false -Dfuzz=true -Dbuildtype=debugoptimized)

stage_build_release() { release_build -Dwerror=true; }
stage_build_asan() { configure "$asan" gcc "${asan_options[@]}" && ninja -k 0 -C "$asan"; }
stage_build_tsan() { configure "$tsan" clang "${tsan_options[@]}" && ninja -k 0 -C "$tsan"; }
stage_build_fuzz() { configure "$fuzz_build" clang "${fuzz_options[@]}" && ninja -k 0 -C "$fuzz_build"; }

meson_tests() { # DIR [ARG...]: each cmocka test counts, and each replayed corpus
	local dir=$1 rc counts
	shift
	[ -f "$dir/build.ninja" ] || { echo "not built"; return 1; }
	"${steady[@]}" meson test -C "$dir" --no-rebuild --print-errorlogs --timeout-multiplier 5 "$@"
	rc=$?
	mapfile -t counts < <(python3 tests/lint/testlog.py "$dir/meson-logs/testlog.json")
	counted "${counts[@]}"
	return $rc
}

stage_unit() { meson_tests "$asan"; }
stage_race() { meson_tests "$tsan"; }

# ---- end to end ----------------------------------------------------------------------------------

stage_e2e() {
	local program counts rc
	program=$(find_frevo "$asan") || program=$(find_frevo "$build") || {
		echo "there is no server program yet"
		return 1
	}
	rm -f "$logs/e2e.summary"
	FREVO_BIN=$program "${steady[@]}" /usr/bin/python3 tests/e2e/run.py --summary "$logs/e2e.summary"
	rc=$?
	if mapfile -t counts <"$logs/e2e.summary"; then counted "${counts[@]}"; fi
	return $rc
}

stage_kernel() {
	local counts rc
	tests/kernel-client/run "$logs"
	rc=$?
	if [ -s "$logs/kernel.summary" ]; then
		mapfile -t counts <"$logs/kernel.summary"
		counted "${counts[@]}"
	fi
	return $rc
}

# ---- fuzzing -------------------------------------------------------------------------------------

fuzz_one() { # TARGET SECONDS: kept inputs are the start, new ones go to build-fuzz/corpus
	local target=$1 seconds=$2 name kept fresh
	name=$(basename "$target" _fuzz)
	kept=$root/${target#"$fuzz_build"/}
	kept=$(dirname "$kept")/testdata/$name
	fresh=$fuzz_build/corpus/$name
	mkdir -p "$fresh" "$fuzz_build/crashes"
	[ -d "$kept" ] || kept=$fresh
	if "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=0 \
		-artifact_prefix="$fuzz_build/crashes/$name-" "$fresh" "$kept" >"$logs/fuzz-$name.log" 2>&1; then
		echo "ok $name $(sed -n 's/^stat::number_of_executed_units: *//p' "$logs/fuzz-$name.log") inputs"
	else
		echo "FAILED $name: $logs/fuzz-$name.log"
		tail -n 30 "$logs/fuzz-$name.log"
	fi
}

stage_fuzz() {
	local seconds=${FREVO_FUZZ_SECONDS:-} total=${FREVO_FUZZ_TOTAL:-} targets only=${FREVO_FUZZ_ONLY:-} t failed
	[ -n "$seconds" ] || { seconds=4 && [ "${CI:-}" = true ] && seconds=60; }
	[ -n "$total" ] || { total=120 && [ "${CI:-}" = true ] && total=1300; }
	[ "$seconds" -gt 0 ] || { echo "FREVO_FUZZ_SECONDS=0"; return 77; }
	mapfile -t targets < <(find "$fuzz_build/src" -name '*_fuzz' -type f -perm -u+x | sort |
		while read -r t; do
			case " ${only:-$(basename "$t" _fuzz)} " in *" $(basename "$t" _fuzz) "*) echo "$t" ;; esac
		done)
	[ ${#targets[@]} -gt 0 ] || { echo "no fuzz target was built"; return 1; }
	[ $((seconds * ${#targets[@]} / 2)) -le "$total" ] || seconds=$((total * 2 / ${#targets[@]}))
	echo "${#targets[@]} targets, $seconds s each"
	export -f fuzz_one
	export root fuzz_build logs
	printf '%s\n' "${targets[@]}" |
		xargs -P 2 -I{} "${steady[@]}" bash -c 'fuzz_one "$1" "$2"' _ {} "$((seconds > 0 ? seconds : 1))" | tee "$logs/fuzz.out"
	mapfile -t failed < <(sed -n 's/^FAILED \([^:]*\):.*/\1/p' "$logs/fuzz.out")
	counted "$(grep -c '^ok ' "$logs/fuzz.out")" ${#failed[@]} "${failed[@]}"
	[ ${#failed[@]} = 0 ]
}
