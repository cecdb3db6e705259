import { load } from './fuzz/exercise.ts'
import { compileText } from './generators/prepare.ts'
function time(name: string, def: unknown) {
  const text = JSON.stringify(def)
  const t = performance.now()
  try { const ms = load({text, format:'json'}); const f = compileText(text).findings.filter(x=>x.severity==='error').slice(0,2); console.log(name, text.length, 'machines', ms.length, Math.round(performance.now()-t)/2, f.map(x=>x.code+' '+x.message)) } catch (e) { console.log(name, 'THROW', String(e).slice(0,300), Math.round(performance.now()-t)) }
}
const ring = (n: number, extra: (i:number)=>object = () => ({})) => { const st: Record<string, unknown> = {}; for (let i=0;i<n;i++) st['s'+i] = {on:{GO:'s'+((i+1)%n), BACK: 's'+((i*7)%n), END:'z', ...extra(i)}}; st.z={type:'final'}; return st }
time('warm', {id:'w', initial:'s0', states: ring(10)})
time('ring 9999', {id:'w', initial:'s0', states: ring(9999)})
const inter = (n: number, k: number) => { const st = ring(n, i => i===0?{R:'$return'}:{}); const it: Record<string, unknown> = {}; for (let i=0;i<k;i++) it['i'+i]={trigger:{file_pattern:'f'+i}, target:'s'+(i%n)}; return {id:'w', initial:'s0', states: st, interrupts: it} }
time('inter 300x300', inter(300,300))
time('inter 1000x1000', inter(1000,1000))
time('inter 3000x1', inter(3000,1))
const routes = (n:number) => ({id:'w', initial:'a', guards: Object.fromEntries(Array.from({length:n},(_, i)=>['g'+i,{field:'x',op:'eq',value:i}])), states:{a:{on:{GO: Array.from({length:n},(_, i)=>({target:'z',guard:'g'+i}))}}, z:{type:'final'}}})
time('routes 9999', routes(9999))
const guards = (n:number) => ({id:'w', initial:'a', guards: Object.fromEntries(Array.from({length:n},(_, i)=>['g'+i,{field:'x'+i,op:'gt',value:i}])), states:{a:{on:{GO: Array.from({length:20},(_, r)=>({target:'z',guards:Array.from({length:n},(_, i)=>'g'+((i+r)%n))}))}}, z:{type:'final'}}})
time('guards 5000x20', guards(5000))
const fork = (n:number, b:number) => { const st = ring(n); const br: Record<string,unknown> = {}; for (let i=0;i<b;i++) br['b'+i]={initial:'s'+(i%n), terminal:'z'}; (st.s0 as any).on.F={fork:{branches:br,on_complete:'s0'}}; return {id:'w',initial:'s0',states:st} }
time('fork 3000x3000', fork(3000,3000))
time('tools', {id:'w', initial:'a', states:{a:{allowed_tools: Array.from({length:9999},(_, i)=>'t'+i), allowed_commands: Array.from({length:9999},(_, i)=>'c'+i), on:{GO:'z'}}, z:{type:'final'}}})
time('policy', {id:'w', initial:'a', states:{a:{on:{GO:'z'}}, z:{type:'final'}}, policy:{allow: Array.from({length:9999},(_, i)=>({capability:'a'+i+'*'})), deny: Array.from({length:9999},(_, i)=>({capability:'a'+i}))}})
time('process', {name:'p', initial:'s0', states: Object.fromEntries(Array.from({length:9000},(_, i)=>['s'+i,{question:'q', answers:{yes:{next:'s'+((i+1)%9000)}, no:{next:null,action:'block'}}}]))})
time('answers', {name:'p', initial:'s0', states: {s0:{question:'q', answers:Object.fromEntries(Array.from({length:9999},(_, i)=>['a'+i,{next:null}]))}}})
time('steps 5000', {steps: Array.from({length:5000},(_, i)=>({id:'s'+i, goal:'g', inputs:[{name:'x', pattern:'^a'+i}], tools:{allowGoToStep:true}, on:{submit:[{action:'inc',name:'local.n'},{action:'set',name:'y',valueFrom:`x == \`${i}\` && local.n < \`3\``}]}, next:[{id:'s'+((i+1)%5000), if:`local.n > \`${i}\``}]}))})
time('inputs 9999', {steps: [{id:'s', goal:'g', inputs: Array.from({length:9999},(_, i)=>({name:'x'+i})), on:{submit: Array.from({length:5000},(_, i)=>({action:'save',inputs:['x'+i],name:'y'+i}))}}]})
time('dup near miss', {id:'w', initial:'s0', states: Object.fromEntries(Array.from({length:4000},(_, i)=>['state_number_'+i,{on:{GO:'state_nmber_'+(i+1)+'q'}}]))})
time('misspelt fields', {id:'w', initial:'s0', states: Object.fromEntries(Array.from({length:4000},(_, i)=>['s'+i,{alowed_tools:[], instuctions:'x', max_iteratons:3, on:{GO:'s'+i}}]))})
time('long name', {id:'w', initial:'a'.repeat(1e6), states: {['a'.repeat(1e6)]:{on:{GO:'b'.repeat(1e6)}}, z:{type:'final'}}})
